import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../../../', import.meta.url);
const folder = 'apps/examples/src/recipes/';
const page = readFileSync(new URL('docs/recipes.md', root), 'utf8');
const excerpts = [
  ...page.matchAll(/\]\(\.\.\/(apps\/examples\/[^)]+)\)\n\n```typescript\n(.*?)\n```\n/gs),
].map(([, path = '', code = '']) => ({ path, code }));

describe('docs/recipes.md', () => {
  it('has an excerpt of every recipe', () => {
    const recipes = readdirSync(new URL(folder, root)).filter((name) => name.endsWith('.ts'));
    expect(excerpts.map(({ path }) => path).toSorted()).toEqual(
      recipes.map((name) => folder + name).toSorted(),
    );
  });

  it.each(excerpts)('shows $path as it stands', ({ path, code }) => {
    expect(unindented(readFileSync(new URL(path, root), 'utf8'))).toContain(unindented(code));
  });
});

/** Excerpts begin at the margin. */
function unindented(code: string): string {
  return code.replace(/^ +/gm, '');
}
