import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { bundle } from './support/bundle.js';

/** What `program` writes, in a process of its own, run where the package is found by its name. */
async function run(program: string, ...options: string[]): Promise<string> {
  const args = [...options, '--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
  });
  return stdout.trim();
}

/** Copies of the package, as an application has them whose dependencies bring one each. */
const COPIES = `
const name = import.meta.resolve('@ids/uuid7');
const copies = await Promise.all(['', '?copy', '?other'].map((query) => import(name + query)));
const generators = copies.map(({ createUuid7Generator }) => createUuid7Generator());
const byTurns = (count) => Array.from({ length: count }, (_, i) => generators[i % generators.length].nextSync());
const ids = byTurns(100_000);
copies[1].resetUuid7s();
ids.push(...byTurns(100_000));
console.log(JSON.stringify({
  copies: new Set(copies.map(({ resetUuid7s }) => resetUuid7s)).size,
  inversions: ids.filter((id, i) => i > 0 && id <= ids[i - 1]).length,
}));
`;

it('copies of the package in one thread count together', async () => {
  expect(JSON.parse(await run(COPIES))).toEqual({ copies: 3, inversions: 0 });
});

/** CommonJS and ES modules load one and the same file. */
const REQUIRED = `
import { createRequire } from 'node:module';
const required = createRequire(import.meta.url)('@ids/uuid7');
const imported = await import('@ids/uuid7');
const [one, other] = [required.createUuid7Generator(), imported.createUuid7Generator()];
const ids = Array.from({ length: 1_000 }, (_, i) => (i % 2 ? one : other).nextSync());
console.log(ids.filter((id, i) => i > 0 && id <= ids[i - 1]).length);
`;

it('what CommonJS requires and what a module imports count together', async () => {
  expect(await run(REQUIRED)).toBe('0');
});

it("Node.js gets the clock that is its own, and browsers do not load what they don't have", async () => {
  const forNode = await readFile(new URL('../dist/node/index.js', import.meta.url), 'utf8');
  expect(forNode).toContain('hrtime');
  expect(bundle()).not.toContain('hrtime');
});

it.each([
  ['Node.js, one file', [], 'node/'],
  ['Bun, where that clock is the slower one, what browsers get', ['--conditions=bun'], ''],
  ['Deno, where it is too, what browsers get', ['--conditions=deno'], ''],
])('the package gives %s', async (_, options, folder) => {
  const found = await run("console.log(import.meta.resolve('@ids/uuid7'));", ...options);
  expect(found.replace(/.*\/dist\//, '')).toBe(`${folder}index.js`);
});
