import { readFileSync } from 'node:fs';

const root = new URL('../../../../', import.meta.url);

/** What a page shows of files in apps/examples: a link to the file, then the excerpt. */
export function excerptsOf(page: string): { readonly path: string; readonly code: string }[] {
  const text = readFileSync(new URL(page, root), 'utf8');
  return [...text.matchAll(/\]\(\.\.\/(apps\/examples\/[^)]+)\)\n\n```typescript\n(.*?)\n```\n/gs)].map(
    ([, path = '', code = '']) => ({ path, code }),
  );
}

/** Excerpts begin at the margin. */
export function unindented(code: string): string {
  return code.replace(/^ +/gm, '');
}
