import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { processIdentity } from '../../src/watchdog.js';
import { type ChildOptions, leftovers, nextLine, runFixture } from './child.js';

interface Held {
  redisUrl: string;
  databaseUrl: string;
  pids: number[];
}

/** For what the watchdog does after the end: nothing but the end of a vain wait, before that of the test. */
export const patience = { timeout: 240_000 };

/** Runs both servers in a process of its own, with `dir` for its temporary folders. */
export async function hold(way: string, dir: string, options: ChildOptions = {}) {
  const child = runFixture('hold-services.ts', [way], { ...options, env: { ...options.env, TMPDIR: dir } });
  const ended = once(child, 'exit');
  const held: Held = JSON.parse(await nextLine(child));
  return { child, ended, held };
}

/** Waits until no process, no shared memory of a process and no folder of `dir` is left. */
export async function expectNothingLeft(dir: string, pids: readonly number[]): Promise<void> {
  await expect.poll(() => pids.map(processIdentity), patience).toEqual(pids.map(() => undefined));
  await expect.poll(() => leftovers(dir), patience).toEqual([]);
  expect(sharedMemoryOf(pids)).toEqual([]);
}

/**
 * System V segments outlive their process and its folder; Linux lists them with the pid that created each.
 */
export function sharedMemoryOf(pids: readonly number[]): string[] {
  const list = '/proc/sysvipc/shm';
  const lines = existsSync(list) ? readFileSync(list, 'utf8').trim().split('\n').slice(1) : [];
  return lines.filter((line) => pids.includes(Number(line.trim().split(/\s+/)[4])));
}
