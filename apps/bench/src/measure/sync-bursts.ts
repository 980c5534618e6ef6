import { type Id, isIdError } from '@ids/core';
import type { BenchCase, Subject } from '../bench-case.js';
import { Pacer } from './pacer.js';
import { InvalidOutput, validate } from './validate.js';
import { warmUp } from './warm-up.js';

/** Ids per timed call: enough that the clock's own cost and granularity vanish. */
export const IDS_PER_CALL = 1_000;

export interface SyncRequest {
  /** Timed calls per measure, at most. */
  readonly calls: number;
  /** Milliseconds per measure, at most; at least `MIN_CALLS` calls are timed all the same. */
  readonly maxMs: number;
}

/** Nanoseconds per id, one entry per timed call. */
export interface SyncTrial {
  readonly raw: readonly number[];
  /** As `raw`, with each id looked up in a Map: that is where a rope is flattened and hashed, at the user's cost. */
  readonly asMapKey: readonly number[];
  readonly warmUpBlocks: number;
  /** Calls that found the buffer empty and so were not timed. */
  readonly emptyCalls: number;
}

const MIN_CALLS = 20;
const CALLS_PER_WARM_UP_BLOCK = 20;
/** In a row, before a buffer is taken for one that never holds the ids of one call. */
const MAX_ATTEMPTS = 1_000;

/** Measures `nextSync` in bursts. Rejects with `InvalidOutput` when what it gives is not what was promised. */
export async function runSyncBursts(
  subject: Subject,
  { format, maxIdsPerSecond }: BenchCase,
  { calls, maxMs }: SyncRequest,
): Promise<SyncTrial> {
  const { nextSync } = subject;
  if (nextSync === undefined) throw new Error('there is no nextSync to measure');
  const collectGarbage = globalThis.gc;
  if (collectGarbage === undefined) throw new Error('workers run with --expose-gc');

  const pacer = new Pacer(maxIdsPerSecond);
  const ids = new Array<Id>(IDS_PER_CALL).fill(0);
  let emptyCalls = 0;

  /** One timed call, in nanoseconds per id. */
  async function timed(burst: Burst): Promise<number> {
    for (let attempts = 0; ; attempts++) {
      await pacer.room(IDS_PER_CALL);
      try {
        return burst(nextSync as () => Id, ids) / IDS_PER_CALL;
      } catch (error) {
        if (attempts > MAX_ATTEMPTS || !isIdError(error) || error.code !== 'ERR_IDS_NOT_READY') throw error;
        emptyCalls++;
        await subject.ready?.();
      }
    }
  }

  async function measure(burst: Burst): Promise<number[]> {
    collectGarbage?.();
    const end = performance.now() + maxMs;
    const samples: number[] = [];
    while (samples.length < calls && (samples.length < MIN_CALLS || performance.now() < end)) {
      samples.push(await timed(burst));
    }
    return samples;
  }

  async function warm(burst: Burst): Promise<number> {
    const block = async () => {
      const samples: number[] = [];
      while (samples.length < CALLS_PER_WARM_UP_BLOCK) samples.push(await timed(burst));
      return samples;
    };
    return warmUp(block, { minBlocks: 3, maxBlocks: 30 });
  }

  async function validated(): Promise<void> {
    await timed(rawBurst);
    validate(ids, IDS_PER_CALL, format);
  }

  await validated();
  const rawBlocks = await warm(rawBurst);
  const raw = await measure(rawBurst);
  validate(ids, IDS_PER_CALL, format);
  const keyBlocks = await warm(mapKeyBurst);
  const asMapKey = await measure(mapKeyBurst);
  await validated();
  return { raw, asMapKey, warmUpBlocks: rawBlocks + keyBlocks, emptyCalls };
}

/** Asks for 1,000 ids and returns how many nanoseconds that took. */
type Burst = (nextSync: () => Id, ids: Id[]) => number;

function rawBurst(nextSync: () => Id, ids: Id[]): number {
  const start = process.hrtime.bigint();
  // Kept in an array, as a caller would keep it: an id that nobody holds might never be made.
  for (let i = 0; i < IDS_PER_CALL; i++) ids[i] = nextSync();
  return Number(process.hrtime.bigint() - start);
}

/** Of one key, which no id is. A Map that kept the ids would measure its own growth, and the collection of garbage: docs/decisions/0016. */
const keys = new Map<Id, true>([['', true]]);

function mapKeyBurst(nextSync: () => Id): number {
  const start = process.hrtime.bigint();
  let found = 0;
  for (let i = 0; i < IDS_PER_CALL; i++) if (keys.has(nextSync())) found++;
  const took = Number(process.hrtime.bigint() - start);
  if (found > 0) throw new InvalidOutput('an id was the empty text');
  return took;
}
