import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { uniqueName } from '@ids/local-services';
import { SQL_DIALECTS } from '@ids/local-services/dialects';
import { expect, it } from 'vitest';
import type { FailingListener } from '../support/failing-listener.js';
import { createContext } from '../support/subject.js';

const SCRIPT = fileURLToPath(new URL('../support/failing-listener.ts', import.meta.url));

const CASES = SQL_DIALECTS.flatMap((kind) =>
  (['throws', 'rejects', 'rejects later'] satisfies FailingListener[]).map((how) => ({ ...kind, how })),
);

it.each(CASES)(
  'segment-inproc on $server goes on, and the process with it, when onEvent $how: each error is a process warning',
  async ({ shared, how }) => {
    const { database, table, name } = await createContext(await shared(), uniqueName('listener'), 'number');
    const input = JSON.stringify([how, { database, table, name, minStep: 10, maxStep: 10 }]);
    const args = ['--import', import.meta.resolve('tsx'), SCRIPT, input];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
    const ids = JSON.parse(stdout) as number[];
    expect(ids).toEqual(Array.from({ length: 26 }, (_, i) => i + 1));
    expect(stderr).toMatch(/\(node:\d+\) Warning: thrown by onEvent: Error: the listener fails at warning/);
    expect(stderr).toMatch(/\(node:\d+\) Warning: thrown by onEvent: Error: the listener fails at refill/);
  },
);
