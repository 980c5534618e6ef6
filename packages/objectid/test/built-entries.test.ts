import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { bundle } from './support/bundle.js';

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

it("Node.js gets the clock that is its own, and browsers do not load what they don't have", async () => {
  const hasIt = (script: string): boolean => script.includes('hrtime');
  const forNode = await readFile(new URL('../dist/node/index.js', import.meta.url), 'utf8');
  expect({ node: hasIt(forNode), browser: hasIt(bundle()) }).toEqual({ node: true, browser: false });
});

it.each(['bun', 'deno'])(
  '%s, where that clock is the slower one, gets what browsers get',
  async (runtime) => {
    const entries = ['index', 'bson/index', 'tools/index', 'machine-pid/index'];
    const names = entries.map((entry) => `@ids/objectid/${entry}`.replace(/\/index$/, ''));
    const program = `for (const name of ${JSON.stringify(names)}) console.log(import.meta.resolve(name));`;
    const found = await run(program, `--conditions=${runtime}`);
    expect(found.split('\n').map((url) => url.replace(/.*\/dist\//, ''))).toEqual(
      entries.map((entry) => `${entry}.js`),
    );
  },
);
