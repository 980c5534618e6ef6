import { fork } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createContext } from '../support/subject.js';

const ENTRY = fileURLToPath(new URL('../support/unclosed-process.ts', import.meta.url));

it('a process that does not close its generator waits for its first id, and ends when nothing is left to do', async () => {
  const options = await createContext(inject('databaseUrl'), uniqueName('unclosed'), { slots: 2 });
  const child = fork(ENTRY, [JSON.stringify(options)], {
    execArgv: ['--import', import.meta.resolve('tsx')],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed = child.stdout === null ? Promise.resolve('') : text(child.stdout);
  const [code] = await once(child, 'exit');
  expect({ code, printed: await printed }).toEqual({ code: 0, printed: expect.stringMatching(/^\d{18}\n$/) });
});
