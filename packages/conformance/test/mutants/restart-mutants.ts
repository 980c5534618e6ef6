import { isMainThread, threadId } from 'node:worker_threads';
import type { IdGenerator } from '@ids/core';
import { memoryGenerator } from '@ids/core/strategy';
import { alter } from '../references/alter.js';
import { localGuarantees } from '../references/local.js';
import { TicketClient, type TicketContext } from '../references/ticket-client.js';
import type { Mutant } from './mutant.js';

const SUCCESSORS = 'issues no id twice from processes that start after others have closed or were killed';
const THREADS =
  'issues no id twice from worker threads, beside their main thread and after others have ended';

export const restartMutants: readonly Mutant[] = [
  {
    name: 'starts at 1 again once its last generator has closed',
    fails: 'issues no id twice from one start to the next',
    saying: /ids of 3 starts: id 0\/1 given twice/,
    like: 'local',
    open: async ({ name }) => {
      const sequence = sequences.get(name) ?? { open: 0, last: 0 };
      sequences.set(name, sequence);
      sequence.open += 1;
      const generator = numbered(threadId, () => ++sequence.last);
      return onClose(generator, async () => {
        if (--sequence.open === 0) sequences.delete(name);
      });
    },
  },
];

/** Those that only other processes or threads can notice. */
export const successorMutants: readonly Mutant[] = [
  {
    name: 'counts anew in each process that gets the number of one that has closed',
    fails: SUCCESSORS,
    saying: /unique: id \d+\/1 given twice: process [1-5] call 1 .* and process 6 call 1/,
    like: 'local',
    claims: { unique: 'cluster', backends: ['sql'] },
    open: async (context) => {
      const client = await TicketClient.open(context);
      const slot = (await client.add(1)) - 1;
      const generator = numbered(slot * 1_000 + threadId, () => countOf(context, slot));
      return onClose(generator, async () => {
        await client.add(-1);
        client.close();
      });
    },
  },
  {
    name: 'counts anew in the place of a process that was killed',
    fails: SUCCESSORS,
    // The one that was killed is process 5. A busy machine may start another one after that.
    saying:
      /unique: id \d\/1 given twice: process (5 call 1 .* and process 6|\d call 1 .* and process 5) call 1/,
    like: 'local',
    claims: { unique: 'cluster', backends: ['sql'] },
    open: async (context) => {
      const place = await takePlace(context);
      const generator = numbered(place, () => countOf(context, place));
      return onClose(generator, async () => void (await ownerOf(context, place, NOBODY)));
    },
  },
  {
    name: 'counts anew in each thread that gets the number of one that has ended',
    fails: THREADS,
    saying: /unique: id \d+\/1 given twice: process [123] call 1 .* and process 5 call 1/,
    like: 'local',
    open: async (context) => {
      if (isMainThread) return numbered(0, () => countOf(context, 0));
      const client = await TicketClient.open(context);
      const slot = await client.add(1);
      return onClose(
        numbered(slot, () => countOf(context, slot)),
        async () => {
          await client.add(-1);
          client.close();
        },
      );
    },
  },
  {
    name: 'gives its first worker thread the number of the main thread',
    fails: THREADS,
    saying: /unique: id 1\/1 given twice: process [123] call 1 .* and process 4 call 1/,
    like: 'local',
    open: async (context) => {
      if (isMainThread) return numbered(1, () => countOf(context, 1));
      const client = await TicketClient.open(context);
      const slot = await client.add(1);
      return onClose(
        numbered(slot, () => countOf(context, slot)),
        async () => client.close(),
      );
    },
  },
];

/** In place of the owner of a place that nobody will have again. */
const NOBODY = 0;

const sequences = new Map<string, { open: number; last: number }>();

const counts = new Map<string, number>();

/** The next number of `slot` in this thread and set-up. */
function countOf({ name }: TicketContext, slot: number): number {
  const key = `${name}/${slot}`;
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count;
}

function numbered(slot: number, count: () => number): IdGenerator {
  return memoryGenerator({
    strategy: 'local',
    guarantees: localGuarantees,
    issue: () => `${slot}/${count()}`,
  });
}

/** A generator that runs `release` the first time it is closed. */
function onClose(generator: IdGenerator, release: () => Promise<void>): IdGenerator {
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= generator.close().then(release);
    return closing;
  };
  return alter(generator, { close, [Symbol.asyncDispose]: close });
}

/** The number of a process that was killed, if there is one, or else one that nobody had. */
async function takePlace(context: TicketContext): Promise<number> {
  const places = await TicketClient.open(context);
  try {
    const taken = await places.get();
    for (let place = 0; place < taken; place++) {
      const owner = await ownerOf(context, place);
      if (!isRunning(owner)) return place;
    }
    const place = (await places.add(1)) - 1;
    await ownerOf(context, place, process.pid);
    return place;
  } finally {
    places.close();
  }
}

/** The process that has `place`, or had it; `pid` is written there if it is given. */
async function ownerOf({ port, name }: TicketContext, place: number, pid?: number): Promise<number> {
  const client = await TicketClient.open({ port, name: `${name}-owner-${place}` });
  try {
    return await (pid === undefined ? client.get() : client.set(pid));
  } finally {
    client.close();
  }
}

function isRunning(pid: number): boolean {
  if (pid === NOBODY) return true;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
