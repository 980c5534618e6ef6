import { describe, expect, it } from 'vitest';
import * as sound from '../src/index.js';
import { settle } from './buffer-support.js';
import { type Mutant, mutatedSource } from './mutated-source.js';
import { checkScheduledCalls } from './scheduled-calls.js';
import { ScriptedSource } from './scripted-source.js';

type Code = typeof sound;

function openBuffer(code: Code, source: ScriptedSource, deadlineMs: number) {
  const step = new code.AdaptiveStep({ minStep: 10, maxStep: 10 });
  const toId = (value: number): number => value;
  return new code.SegmentBuffer({ strategy: 'x', source, name: 'order', step, toId, deadlineMs });
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
  for (const startAfter of [95, 5]) {
    const source = new code.MemorySegmentSource({ order: { startAfter } });
    const { low } = await code.reserveAbove(source, 'order', 10, 100, { onEvent: () => {} });
    expect(low).toBeGreaterThan(100);
  }
}

/** The source answers as if it had been raised, and was not. */
async function checkSourceThatDoesNotRise(code: Code): Promise<void> {
  const source = new ScriptedSource();
  source.answerAll();
  source.reserve = async () => ({ low: 1, high: 10 });
  const reserving = code.reserveAbove(source, 'order', 10, 100, { onEvent: () => {} });
  await expect(reserving).rejects.toMatchObject({ code: 'ERR_IDS_REGRESSED' });
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
    file: 'segment-refill.ts',
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
    file: 'segment-buffer.ts',
    from: 'if (this.#queue.wanted === 0 && count <= this.#held.count)',
    to: 'if (count <= this.#held.count)',
    check: (code) => checkScheduledCalls(code, 300),
  },
  {
    name: 'a segment that begins below the floor is used',
    file: 'reserve-above.ts',
    from: 'if (segment.low > floor) return segment;',
    to: 'if (segment.high > floor) return segment;',
    check: checkSourceThatWentBack,
  },
  {
    name: 'a source that went back is not raised above the floor',
    file: 'reserve-above.ts',
    from: 'size, { ...request, floor })',
    to: 'size, request)',
    check: checkSourceThatWentBack,
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
    await mutant.check(sound);
    await expect(mutant.check(await mutatedSource(mutant))).rejects.toThrow();
  });
});
