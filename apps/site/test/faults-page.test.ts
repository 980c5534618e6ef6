import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const DOCS = new URL('../../../docs/', import.meta.url);
/** The title of a test, or how it begins, and its file. */
const TESTS = /\[([^\]]+)\]\((\.\.\/packages\/[^)]+\.ts)\)/g;

it.each([
  ['faults-elsewhere.md', 30],
  ['analysis.md', 10],
])('%s names tests that exist', (name, least) => {
  const page = new URL(name, DOCS);
  const named = Array.from(readFileSync(page, 'utf8').matchAll(TESTS), ([, title = '', path = '']) => ({
    title,
    path,
  }));
  const missing = named.filter(({ title, path }) => {
    const text = readFileSync(new URL(path, page), 'utf8');
    return !text.includes(`'${title}`) && !text.includes(`\`${title}`);
  });
  expect(missing).toEqual([]);
  expect(named.length).toBeGreaterThan(least);
});
