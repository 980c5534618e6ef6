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
const generators = [main, classic, main, classic].map((entry) => entry.createObjectIdGenerator());
const round = () => [...generators.map((generator) => generator.nextSync()), String(new main.ObjectId())];
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

it('both entries, as Node.js loads them, issue from one counter', async () => {
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
    const resolve = (entry: string) => `import.meta.resolve('@ids/objectid${entry}')`;
    const found = await run(
      `console.log(${resolve('')}, ${resolve('/machine-pid')})`,
      `--conditions=${runtime}`,
    );
    expect(found.split(' ').map((url) => url.replace(/.*\/dist\//, ''))).toEqual([
      'index.js',
      'machine-pid/index.js',
    ]);
  },
);
