import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** What all seeds did together, which only the same seeds do again. */
async function totalsOf(...args: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args]);
  return stdout.match(/\d+ (seeds|ids|calls|faults)\b/g) ?? [];
}

it('plays the same seeds with one thread and with three', async () => {
  const seeds = ['--from', '5', '--seeds', '7', '--processes', '2', '--sequences', '1'];
  const alone = await totalsOf(...seeds, '--threads', '1');
  expect(alone).toContain('7 seeds');
  expect(alone).toHaveLength(6);
  expect(await totalsOf(...seeds, '--threads', '3')).toEqual(alone);
});
