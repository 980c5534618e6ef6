import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const page = new URL('../../../docs/faults-elsewhere.md', import.meta.url);
/** The title of a test, or how it begins, and its file. */
const TESTS = /\[([^\]]+)\]\((\.\.\/packages\/[^)]+\.ts)\)/g;

it('the page of faults elsewhere names tests that exist', () => {
  const named = Array.from(readFileSync(page, 'utf8').matchAll(TESTS), ([, title = '', path = '']) => ({
    title,
    path,
  }));
  const missing = named.filter(({ title, path }) => {
    const text = readFileSync(new URL(path, page), 'utf8');
    return !text.includes(`'${title}`) && !text.includes(`\`${title}`);
  });
  expect(missing).toEqual([]);
  expect(named.length).toBeGreaterThan(30);
});
