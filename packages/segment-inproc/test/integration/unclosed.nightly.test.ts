import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { startFaultProxy, uniqueName } from '@ids/local-services';
import { SQL_DIALECTS } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createContext } from '../support/subject.js';
import type { UnclosedPlan } from '../support/unclosed-process.js';

const ENTRY = fileURLToPath(new URL('../support/unclosed-process.ts', import.meta.url));

/**
 * Starts a process that opens a generator by a URL and never closes it. `ended` resolves with its exit
 * code and what it printed.
 */
function start(plan: UnclosedPlan) {
  const child: ChildProcess = fork(ENTRY, [JSON.stringify(plan)], {
    execArgv: ['--import', import.meta.resolve('tsx')],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed = child.stdout === null ? Promise.resolve('') : text(child.stdout);
  const ended = once(child, 'exit').then(async ([code]) => ({ code, printed: await printed }));
  return { child, ended };
}

/** Nothing is fetched ahead, so each id needs the database. */
async function optionsFor(database: string, url = database) {
  const { table, name } = await createContext(database, uniqueName('unclosed'), 'number');
  return { database: url, table, name, minStep: 1, maxStep: 1, deadlineMs: 1_000 };
}

describe.each(SQL_DIALECTS)(
  'a process that opened a generator by a $dialect:// URL and does not close it',
  ({ shared }) => {
    it('ends by itself when nothing is left to do', async () => {
      const { ended } = start({ options: await optionsFor(await shared()), again: false });
      expect(await ended).toEqual({ code: 0, printed: '1\n' });
    });

    faultTest(
      'stays until its last call is settled while the database does not answer, then ends',
      async () => {
        const database = await shared();
        await using proxy = await startFaultProxy({
          target: { host: '127.0.0.1', port: Number(new URL(database).port) },
        });
        const { child, ended } = start({
          options: await optionsFor(database, proxy.url(database)),
          again: true,
        });
        await once(child, 'message');
        await injectFault(() => proxy.setMode('blackhole'));
        child.send('ask again');
        expect(await ended).toEqual({ code: 0, printed: '1\nERR_IDS_TIMEOUT\n' });
      },
    );
  },
);
