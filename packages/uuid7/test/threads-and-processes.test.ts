import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { compiledModule } from '@ids/conformance';
import { describe, expect, it } from 'vitest';
import { parseUuid7 } from '../src/index.js';
import { firstNotRising } from './support/ids.js';
import type { FromIssuer } from './support/issue-ids.js';

const MEMBERS = 4;
const COUNT = 50_000;

const script = new URL('./support/issue-ids.ts', import.meta.url);

/** A worker thread or process that is ready to issue. */
interface Member {
  issue(count: number): Promise<readonly string[]>;
  end(): Promise<void>;
}

async function startThread(): Promise<Member> {
  const worker = new Worker(await compiledModule(script), { execArgv: [] });
  await once(worker, 'message');
  return {
    issue: (count) => answered(worker, () => worker.postMessage(count)),
    end: async () => void (await worker.terminate()),
  };
}

async function startProcess(): Promise<Member> {
  const child = fork(await compiledModule(script));
  await once(child, 'message');
  return {
    issue: (count) => answered(child, () => child.send(count)),
    end: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

async function answered(member: NodeJS.EventEmitter, ask: () => void): Promise<readonly string[]> {
  const answer = once(member, 'message');
  ask();
  const [message] = (await answer) as [FromIssuer];
  if (message === 'ready') throw new Error('said to be ready twice');
  return message;
}

describe.each([
  ['worker threads', startThread],
  ['child processes', startProcess],
])('%s that issue at the same time', (_, start) => {
  it('never meet, and the ids of each rise', async () => {
    const members = await Promise.all(Array.from({ length: MEMBERS }, start));
    try {
      const issued = await Promise.all(members.map((member) => member.issue(COUNT)));
      for (const ids of issued) {
        expect(ids).toHaveLength(COUNT);
        expect(firstNotRising(ids)).toBe(-1);
      }
      expect(new Set(issued.flat()).size).toBe(MEMBERS * COUNT);
      // Random bits of their own: two with one pool would have the same ones in the same places.
      const words = issued.map((ids) => ids.slice(0, 100).map((id) => parseUuid7(id).random));
      expect(new Set(words.flat()).size).toBeGreaterThan(MEMBERS * 100 - 3);
    } finally {
      await Promise.all(members.map((member) => member.end()));
    }
  });
});
