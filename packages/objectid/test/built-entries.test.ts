import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { type Bundled, bundle } from './support/bundle.js';

/** In a process of its own, so that Node.js loads what is published and not the source. */
const PROGRAM = `
import * as main from '@ids/objectid';
import * as classic from '@ids/objectid/machine-pid';
import { ObjectId } from '@ids/objectid/bson';
const generators = [main, classic, main, classic].map((entry) => entry.createObjectIdGenerator());
const round = () => [...generators.map((generator) => generator.nextSync()), String(new ObjectId())];
console.log(JSON.stringify([...round(), ...round()]));
`;

/** What `program` writes, run where the package is found by its name. */
async function run(program: string, ...options: string[]): Promise<string> {
  const args = [...options, '--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
  });
  return stdout.trim();
}

it('all entries, as Node.js loads them, issue from one counter', async () => {
  const ids: string[] = JSON.parse(await run(PROGRAM));
  expect(ids).toEqual([...new Set(ids)].sort());
  expect(new Set(ids.map((id) => id.slice(8, 18))).size).toBe(1);
});

/** Two copies of the package, as an application has them whose dependencies bring one each. */
const COPIES = `
const copies = (name) => Promise.all(['', '?copy'].map((query) => import(import.meta.resolve(name) + query)));
const [main, classic] = [await copies('@ids/objectid'), await copies('@ids/objectid/machine-pid')];
const { ObjectId } = await import('@ids/objectid/bson');
const options = { layout: 'machine-pid' };
const random = main.map((copy) => copy.createObjectIdGenerator());
const machinePid = classic.map((copy) => copy.createObjectIdGenerator(options));
const byTurns = (generators) => Array.from({ length: 100_000 }, (_, i) => generators[i % generators.length].nextSync());
const inversions = (ids) => ids.filter((id, i) => i > 0 && id <= ids[i - 1]).length;
const middle = (id) => id.slice(8, 18);
const ids = byTurns([...random, { nextSync: () => String(new ObjectId()) }]);
main[1].resetObjectIds();
const after = byTurns(random);
console.log(JSON.stringify({
  copies: new Set(main.map((copy) => copy.resetObjectIds)).size,
  random: inversions([...ids, ...after]),
  middles: [ids, after, [...ids, ...after]].map((some) => new Set(some.map(middle)).size),
  machinePid: inversions(byTurns(machinePid)),
}));
`;

it('two copies of the package in one thread count together, and draw new random bytes together', async () => {
  expect(JSON.parse(await run(COPIES))).toEqual({ copies: 2, random: 0, middles: [1, 1, 2], machinePid: 0 });
});

const ENTRIES = ['index', 'bson/index', 'tools/index', 'machine-pid/index'];

it("Node.js gets the clock that is its own, and browsers do not load what they don't have", async () => {
  const hasIt = (script: string): boolean => script.includes('hrtime');
  const load = (entry: string) => readFile(new URL(`../dist/node/${entry}.js`, import.meta.url), 'utf8');
  const forNode = await Promise.all(ENTRIES.map(load));
  // What reads ids asks no clock.
  expect(forNode.map(hasIt)).toEqual(ENTRIES.map((entry) => entry !== 'tools/index'));
  expect(hasIt(bundle())).toBe(false);
});

it.each([
  ['Node.js, one file for each entry', [], 'node/'],
  ['Bun, where that clock is the slower one, what browsers get', ['--conditions=bun'], ''],
  ['Deno, where it is too, what browsers get', ['--conditions=deno'], ''],
])('the package gives %s', async (_, options, folder) => {
  const names = ENTRIES.map((entry) => `@ids/objectid/${entry}`.replace(/\/index$/, ''));
  const program = `for (const name of ${JSON.stringify(names)}) console.log(import.meta.resolve(name));`;
  const found = await run(program, ...options);
  expect(found.split('\n').map((url) => url.replace(/.*\/dist\//, ''))).toEqual(
    ENTRIES.map((entry) => `${folder}${entry}.js`),
  );
});

it('the class is called ObjectId in what Node.js loads, and in what a bundler makes of the modules', async () => {
  expect(await run("import { ObjectId } from '@ids/objectid/bson'; console.log(ObjectId.name);")).toBe(
    'ObjectId',
  );
  const { ObjectId } = new Function(`return ${bundle()}`)() as Bundled;
  expect(ObjectId.name).toBe('ObjectId');
});

it('the class stands for the type ObjectId in a schema of Mongoose', async () => {
  expect(
    JSON.parse(await run(`await import('${new URL('./support/mongoose-schema.mjs', import.meta.url)}')`)),
  ).toEqual({
    types: ['ObjectId', 'ObjectId'],
    isTheirs: [true, true, true],
    isEqual: [true, true, true],
    isKnown: [false, true],
    error: null,
  });
});
