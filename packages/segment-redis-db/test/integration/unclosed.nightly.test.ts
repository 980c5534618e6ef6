import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { startFaultProxy, startRedis, uniqueName } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { currentClient, REDIS_CLIENTS } from '../support/client-names.js';
import { connectWith } from '../support/connect-with.js';
import { createContext } from '../support/subject.js';
import type { UnclosedPlan } from '../support/unclosed-process.js';

const WITHOUT_IOREDIS = new URL('../support/without-ioredis.mjs', import.meta.url).href;
const ENTRY = fileURLToPath(new URL('../support/unclosed-process.ts', import.meta.url));

/**
 * Starts a process that opens a generator by URLs and never closes it. `ended` resolves with its exit
 * code and what it printed.
 */
function start(plan: UnclosedPlan) {
  const preload = currentClient() === 'ioredis' ? [] : ['--import', WITHOUT_IOREDIS];
  const child: ChildProcess = fork(ENTRY, [JSON.stringify(plan)], {
    execArgv: ['--import', import.meta.resolve('tsx'), ...preload],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed = child.stdout === null ? Promise.resolve('') : text(child.stdout);
  const ended = once(child, 'exit').then(async ([code]) => ({ code, printed: await printed }));
  /** Resolves once it has an id; rejects if it ends before. */
  const asked = Promise.race([
    once(child, 'message'),
    ended.then((end) => Promise.reject(new Error(`ended before it had an id: ${JSON.stringify(end)}`))),
  ]);
  // A process that ends as it should sends nothing more.
  asked.catch(() => undefined);
  return { child, asked, ended };
}

async function contextOn(redis: string) {
  return createContext(redis, inject('databaseUrl'), uniqueName('unclosed'));
}

describe.each(REDIS_CLIENTS)(
  'a process that opened a URL with %s and does not close the generator',
  (client) => {
    connectWith(client);

    it('ends by itself when nothing is left to do', async () => {
      const context = await contextOn(inject('redisUrl'));
      const { ended } = start({ context, again: false });
      expect(await ended).toEqual({ code: 0, printed: '1\n' });
    });

    faultTest('ends by itself while Redis is down and the client tries to connect again', async () => {
      await using server = await startRedis();
      const context = await contextOn(server.url);
      const { child, asked, ended } = start({ context, again: true });
      await asked;
      await injectFault(() => server.kill());
      child.send('ask again');
      expect(await ended).toEqual({
        code: 0,
        printed: expect.stringMatching(/^1\nERR_IDS_(UNAVAILABLE|TIMEOUT)\n$/),
      });
    });

    faultTest('stays until its last call is settled while Redis does not answer', async () => {
      await using proxy = await startFaultProxy({
        target: { host: '127.0.0.1', port: Number(new URL(inject('redisUrl')).port) },
      });
      const context = await contextOn(proxy.url('redis'));
      const { child, asked, ended } = start({ context, again: true });
      await asked;
      await injectFault(() => proxy.setMode('blackhole'));
      child.send('ask again');
      // The frozen connection is replaced meanwhile, and there may be none when the deadline ends.
      expect(await ended).toEqual({
        code: 0,
        printed: expect.stringMatching(/^1\nERR_IDS_(UNAVAILABLE|TIMEOUT)\n$/),
      });
    });
  },
);
