import { type Id, isIdError } from '@ids/core';
import type { BenchCase, Subject } from '../cases/case.js';
import type { SyncTrial } from '../schema/figures.js';
import { caseJob } from '../worker/job.js';
import { Pacer, warmUp } from './pacing.js';
import { measureSustained } from './sustained.js';
import { InvalidOutput, validate } from './validate.js';

/** Ids per timed call: enough to make the cost and granularity of the clock negligible. */
export const IDS_PER_CALL = 1_000;

export interface SyncRequest {
  /** Timed calls per measure, at most. */
  readonly calls: number;
  /** Milliseconds per measure, at most; but at least `MIN_CALLS` calls are timed. */
  readonly maxMs: number;
}

/**
 * What is done with each id: `raw`: it is kept. `flattened`: one character is read, which flattens a rope.
 * `asMapKey`: it is looked up in a Map, which also hashes it. `inserted`: it is added to a Set that grows to
 * 5,000.
 */
export type Use = 'raw' | 'flattened' | 'asMapKey' | 'inserted';

/** Nanoseconds per id by use, one entry per timed call. */
interface UseTrial<U extends Use> {
  readonly ns: Readonly<Record<U, readonly number[]>>;
  readonly warmUpBlocks: number;
  readonly emptyCalls: number;
}

const MIN_CALLS = 20;
const CALLS_PER_WARM_UP_BLOCK = 20;
/** Attempts in a row after which a buffer is considered too small for the ids of one call. */
const MAX_ATTEMPTS = 1_000;

/**
 * Measures `nextSync` in bursts. Rejects with `InvalidOutput` if the ids are not what the format promises.
 */
async function runSyncBursts(
  subject: Subject,
  benchCase: BenchCase,
  request: SyncRequest,
): Promise<SyncTrial> {
  const { ns, ...counts } = await measureUses(subject, benchCase, request, ['raw', 'asMapKey']);
  return { ...ns, sustained: await sustainedRate(subject, benchCase, request, ns.raw), ...counts };
}

export const syncJob = caseJob(import.meta.url, 'syncJob', runSyncBursts);

/** As `runSyncBursts`, for the `uses` in their order. */
export async function measureUses<U extends Use>(
  subject: Subject,
  { format, maxIdsPerSecond }: Pick<BenchCase, 'format' | 'maxIdsPerSecond'>,
  { calls, maxMs }: SyncRequest,
  uses: readonly U[],
): Promise<UseTrial<U>> {
  const { nextSync } = subject;
  if (nextSync === undefined) throw new Error('there is no nextSync to measure');
  const collectGarbage = globalThis.gc;
  if (collectGarbage === undefined) throw new Error('workers run with --expose-gc');

  const pacer = new Pacer(maxIdsPerSecond);
  const ids = new Array<Id>(IDS_PER_CALL).fill(0);
  let emptyCalls = 0;

  /** One timed call, in nanoseconds per id. */
  async function timed({ burst, ids: count }: TimedUse): Promise<number> {
    for (let attempts = 0; ; attempts++) {
      await pacer.room(count);
      try {
        return burst(nextSync as () => Id, ids) / count;
      } catch (error) {
        if (attempts > MAX_ATTEMPTS || !isIdError(error) || error.code !== 'ERR_IDS_NOT_READY') throw error;
        emptyCalls++;
        await subject.ready?.();
      }
    }
  }

  async function measure(use: TimedUse): Promise<number[]> {
    collectGarbage?.();
    const end = performance.now() + maxMs;
    const samples: number[] = [];
    while (samples.length < calls && (samples.length < MIN_CALLS || performance.now() < end)) {
      samples.push(await timed(use));
    }
    return samples;
  }

  async function warm(use: TimedUse): Promise<number> {
    const block = async () => {
      const samples: number[] = [];
      while (samples.length < CALLS_PER_WARM_UP_BLOCK) samples.push(await timed(use));
      return samples;
    };
    return warmUp(block, { minBlocks: 3, maxBlocks: 30 });
  }

  async function validated(): Promise<void> {
    await timed(USES.raw);
    validate(ids, IDS_PER_CALL, format);
  }

  await validated();
  const ns = {} as Record<U, number[]>;
  let warmUpBlocks = 0;
  for (const use of uses) {
    warmUpBlocks += await warm(USES[use]);
    ns[use] = await measure(USES[use]);
    await validated();
  }
  return { ns, warmUpBlocks, emptyCalls };
}

/** Without a backend there is nothing to wait for: the rate of the bursts is that of all ids. */
async function sustainedRate(
  subject: Subject,
  { maxIdsPerSecond }: BenchCase,
  { maxMs }: SyncRequest,
  nsPerId: readonly number[],
): Promise<number> {
  if (subject.ready) return measureSustained(subject, new Pacer(maxIdsPerSecond), maxMs);
  return (1e9 * nsPerId.length) / nsPerId.reduce((sum, ns) => sum + ns, 0);
}

/** Requests ids and returns how many nanoseconds that took. */
type Burst = (nextSync: () => Id, ids: Id[]) => number;

interface TimedUse {
  readonly burst: Burst;
  /** How many ids a burst requests. */
  readonly ids: number;
}

const INSERTED_IDS = 5_000;

const USES: Readonly<Record<Use, TimedUse>> = {
  raw: { burst: rawBurst, ids: IDS_PER_CALL },
  flattened: { burst: flatBurst, ids: IDS_PER_CALL },
  asMapKey: { burst: mapKeyBurst, ids: IDS_PER_CALL },
  inserted: { burst: insertBurst, ids: INSERTED_IDS },
};

function rawBurst(nextSync: () => Id, ids: Id[]): number {
  const start = process.hrtime.bigint();
  // Kept in an array, as a caller would keep it: an engine may never create an id that nothing holds.
  for (let i = 0; i < IDS_PER_CALL; i++) ids[i] = nextSync();
  return Number(process.hrtime.bigint() - start);
}

function flatBurst(nextSync: () => Id): number {
  const start = process.hrtime.bigint();
  let sum = 0;
  for (let i = 0; i < IDS_PER_CALL; i++) sum += (nextSync() as string).charCodeAt(0);
  const took = Number(process.hrtime.bigint() - start);
  if (Number.isNaN(sum)) throw new InvalidOutput('an id was the empty string');
  return took;
}

function insertBurst(nextSync: () => Id): number {
  const start = process.hrtime.bigint();
  const inserted = new Set<Id>();
  for (let i = 0; i < INSERTED_IDS; i++) inserted.add(nextSync());
  const took = Number(process.hrtime.bigint() - start);
  if (inserted.size < INSERTED_IDS) throw new InvalidOutput('an id was given twice');
  return took;
}

/**
 * Its one key is never an id. A Map that stored the ids would measure its own growth and garbage collection:
 * docs/decisions/0016.
 */
const keys = new Map<Id, true>([['', true]]);

function mapKeyBurst(nextSync: () => Id): number {
  const start = process.hrtime.bigint();
  let found = 0;
  for (let i = 0; i < IDS_PER_CALL; i++) if (keys.has(nextSync())) found++;
  const took = Number(process.hrtime.bigint() - start);
  if (found > 0) throw new InvalidOutput('an id was the empty string');
  return took;
}
