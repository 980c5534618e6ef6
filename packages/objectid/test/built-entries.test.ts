import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** In a process of its own, so that Node.js loads what is published and not the source. */
const PROGRAM = `
import * as main from '@ids/objectid';
import * as classic from '@ids/objectid/machine-pid';
const generators = [main, classic, main, classic].map((entry) => entry.createObjectIdGenerator());
const round = () => [...generators.map((generator) => generator.nextSync()), String(new main.ObjectId())];
console.log(JSON.stringify([...round(), ...round()]));
`;

it('both entries, as Node.js loads them, issue from one counter', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
  });
  const ids: string[] = JSON.parse(stdout);
  expect(ids).toEqual([...new Set(ids)].sort());
  expect(new Set(ids.map((id) => id.slice(8, 18))).size).toBe(1);
});
