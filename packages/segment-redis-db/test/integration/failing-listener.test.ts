import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { expect, inject, it } from 'vitest';
import type { FailingListener } from '../support/failing-listener.js';

const SCRIPT = fileURLToPath(new URL('../support/failing-listener.ts', import.meta.url));

it.each<FailingListener>(['throws', 'rejects', 'rejects later'])(
  'segment-redis-db goes on, and the process with it, when onEvent %s: each error is a process warning',
  async (how) => {
    const input = JSON.stringify([how, inject('redisUrl'), `${uniqueName('listener')}:`]);
    const args = ['--import', import.meta.resolve('tsx'), SCRIPT, input];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
    const ids = JSON.parse(stdout) as number[];
    expect(ids.length).toBe(26);
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
    expect(stderr).toMatch(/\(node:\d+\) Warning: thrown by onEvent: Error: the listener fails at refill/);
  },
);
