import { describe, expect, it } from 'vitest';
import * as sound from '../src/index.js';
import { GUARANTEES, settle } from './buffer-support.js';
import { BrokenHarnessError, type Mutant, mutatedSource } from './mutated-source.js';
import { checkScheduledCalls } from './scheduled-calls.js';
import { ScriptedSource } from './scripted-source.js';
import { twoServers } from './two-servers.js';

type Code = typeof sound;

function openBuffer(code: Code, source: ScriptedSource, deadlineMs: number) {
  const step = new code.AdaptiveStep({ minStep: 10, maxStep: 10 });
  const toId = (value: number): number => value;
  const own = { strategy: 'x', guarantees: GUARANTEES, source, name: 'order' };
  return new code.SegmentBuffer({ ...own, step, toId, deadlineMs });
}

function expectRising(ids: readonly number[]): void {
  expect(ids.findIndex((id, i) => i > 0 && id <= (ids[i - 1] ?? 0))).toBe(-1);
}

/** The first answer comes when a later one was used already. */
async function checkLateSegment(code: Code): Promise<void> {
  const source = new ScriptedSource();
  const buffer = openBuffer(code, source, 60);
  const first = buffer.ready().catch(() => undefined);
  const slow = await source.asked();
  await first;
  while (source.pending.length < 2) await settle();
  source.maxId = 10;
  source.pending[1]?.answer();
  const ids = [await buffer.next()];
  slow.answerWith({ low: 1, high: 10 });
  source.answerAll();
  await settle();
  ids.push(...(await buffer.nextBatch(40)));
  await buffer.close();
  expectRising(ids);
}

/** A source went back, once by a little, so that its segment ends above what was given, and once by much. */
async function checkSourceThatWentBack(code: Code): Promise<void> {
  for (const [startAfter, low] of [
    [95, 107],
    [5, 101],
  ] as const) {
    const source = new code.MemorySegmentSource({ order: { startAfter } });
    const reserving = code.reserveAbove(source, 'order', 10, 100, {
      onEvent: () => {},
      known: new code.KnownReigns('order'),
    });
    await expect(reserving).resolves.toMatchObject({ low });
  }
}

/** The source answers as if it had been raised, and was not. */
async function checkSourceThatDoesNotRise(code: Code): Promise<void> {
  const source = new ScriptedSource();
  source.answerAll();
  source.reserve = async () => ({ low: 1, high: 10 });
  const reserving = code.reserveAbove(source, 'order', 10, 100, {
    onEvent: () => {},
    known: new code.KnownReigns('order'),
  });
  await expect(reserving).rejects.toMatchObject({ code: 'ERR_IDS_REGRESSED' });
}

/**
 * A former primary answers what its successor is asked next; `floor` is above both, or only above the former.
 */
async function checkFormerPrimary(code: Code, route: readonly ('a' | 'b')[], floor: number): Promise<void> {
  const { source, servers } = twoServers(route, code.SequenceMovedError);
  const known = new code.KnownReigns('order', { reigns: ['b', 'a'] });
  await code.reserveAbove(source, 'order', 10, floor, { onEvent: () => {}, known }).catch(() => {});
  expect(servers.a.maxId).toBeLessThan(1_000);
}

/**
 * A caller leaves while an id is on its way to it, and another comes: by then greater ids may
 * have been given elsewhere.
 */
async function checkIdOfACallerWhoLeft(code: Code): Promise<void> {
  const expired = (): Error => new Error('waited too long');
  const queue = new code.RequestQueue<number>({ deadlineMs: 30_000, toId: (value) => value, expired });
  const left = new AbortController();
  const first = queue.enqueueOne(left.signal).catch(() => undefined);
  const arrivedBy = queue.arrivals;
  left.abort();
  await first;
  const later = queue.enqueueOne();
  later.catch(() => undefined);
  const taken = queue.give(1, 1, arrivedBy);
  queue.fail(expired());
  expect(taken).toBe(0);
}

const CASES: readonly (Mutant & { readonly check: (code: Code) => Promise<void> })[] = [
  {
    name: 'an older segment that comes late is used',
    file: 'held-segments.ts',
    from: 'if (low <= this.#top) return false;',
    to: '',
    check: checkLateSegment,
  },
  {
    name: 'two refills are in flight',
    file: 'waiting/retry-loop.ts',
    from: 'if (this.#running || this.#options.signal.aborted) return;',
    to: 'if (this.#options.signal.aborted) return;',
    check: (code) => checkScheduledCalls(code, 300),
  },
  {
    name: 'a batch runs on past the edge of its segment',
    file: 'held-segments.ts',
    from: 'Math.min(this.#maxId, low + count - 1)',
    to: 'low + count - 1',
    check: (code) => checkScheduledCalls(code, 300),
  },
  {
    name: 'a later call passes a batch that waits',
    file: 'waiting/held-front.ts',
    from: 'if (this.demand.calls.wanted === 0 && this.#held.prepare(count))',
    to: 'if (this.#held.prepare(count))',
    check: (code) => checkScheduledCalls(code, 300),
  },
  {
    name: 'an id goes to a caller who came after it had been taken',
    file: 'waiting/request-queue.ts',
    from: 'head.arrival <= arrivedBy && ',
    to: '',
    check: checkIdOfACallerWhoLeft,
  },
  {
    name: 'a segment that begins below the floor is used',
    file: 'reserve-above.ts',
    from: 'if (segment.low > floor) return segment;',
    to: 'if (segment.high > floor) return segment;',
    check: checkSourceThatWentBack,
  },
  {
    name: 'a row that reached the floor by its answer skips nothing of what others had',
    file: 'reserve-above.ts',
    from: '{ ...request, floor: above, within }',
    to: '{ ...request, floor, within }',
    check: checkSourceThatWentBack,
  },
  {
    name: 'a source that went back is not raised above the floor',
    file: 'reserve-above.ts',
    from: '{ ...request, floor: above, within }',
    to: 'request',
    check: checkSourceThatWentBack,
  },
  {
    name: 'a former primary is raised into what its successor issues',
    file: 'known-reigns.ts',
    from: 'this.#knows(theirs) || this.#isEarlier(reigns)',
    to: 'false',
    check: (code) => checkFormerPrimary(code, ['a', 'a', 'a'], 1_500),
  },
  {
    name: 'a former primary is raised in place of the server that went back',
    file: 'reserve-above.ts',
    from: '{ ...request, floor: above, within }',
    to: '{ ...request, floor: above }',
    check: (code) => checkFormerPrimary(code, ['b', 'a'], 5_000),
  },
  {
    name: 'another sequence of the same name is used',
    file: 'known-reigns.ts',
    from: 'if (realm !== undefined && this.#realm !== undefined && realm !== this.#realm) {',
    to: 'if (false) {',
    check: async (code) => {
      const known = new code.KnownReigns('order', { realm: 'one' });
      expect(() => known.accept({ realm: 'two' })).toThrow(/\btwo\b.*\bone\b/);
    },
  },
  {
    name: 'what a source gives after it was asked to rise is used unseen',
    file: 'reserve-above.ts',
    from: 'if (healed.low > floor) return healed;',
    to: 'return healed;',
    check: checkSourceThatDoesNotRise,
  },
];

it('keeps its promises in whatever order callers come and the source answers', async () => {
  await checkScheduledCalls(sound, 300);
});

describe.each(CASES)('when $name', (mutant) => {
  it('breaks a promise, which the buffer as it is keeps', async () => {
    // Outside of what is expected to fail: a mutant that cannot be made is no kill.
    const mutated = await mutatedSource(mutant);
    await mutant.check(sound);
    await expect(mutant.check(mutated)).rejects.toSatisfy(isFailedAssertion);
  });
});

describe('a mutant that cannot be made is a broken harness, never a kill', () => {
  const mutant = { name: 'test', file: 'reserve-above.ts', from: 'return healed;', to: '' };

  it.each([
    [
      'its text is gone',
      { from: 'nobody wrote this' },
      /src\/reserve-above\.ts must contain once, not 0 times: nobody/,
    ],
    ['its text is there twice', { from: 'segment' }, /must contain once, not \d+ times: segment$/],
    ['its file is gone', { file: 'nowhere.ts' }, /src\/nowhere\.ts must contain once, not 0 times/],
    ['it does not compile', { to: 'return (' }, /reserve-above\.ts cannot be loaded/],
  ])('when %s', async (_, change, message) => {
    const made = mutatedSource({ ...mutant, ...change });
    await expect(made).rejects.toBeInstanceOf(BrokenHarnessError);
    await expect(made).rejects.toThrow(message);
  });
});

/** An assertion of ours, by itself or found by fast-check; not an error on the way to it. */
function isFailedAssertion(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'AssertionError' || isFailedAssertion(error.cause);
}
