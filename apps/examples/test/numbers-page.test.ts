import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { excerptsOf, unindented } from './support/excerpts.js';

const excerpts = excerptsOf('docs/numbers.md');

it('docs/numbers.md has the recipes for Drizzle and Prisma', () => {
  expect(excerpts).toHaveLength(2);
});

it.each(excerpts)('docs/numbers.md shows $path as it stands', ({ path, code }) => {
  const text = readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
  expect(unindented(text)).toContain(unindented(code));
});
