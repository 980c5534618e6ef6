import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { excerptsOf, unindented } from '../support/excerpts.js';

const root = new URL('../../../../', import.meta.url);
const folder = 'apps/examples/src/recipes/';
const excerpts = excerptsOf('docs/recipes.md');

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
