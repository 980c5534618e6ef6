import type { Id } from '@ids/core';
import type { BenchCase, Subject } from '../cases/case.js';
import { caseJob } from '../worker/job.js';
import { Pacer, warmUp } from './pacing.js';
import { measureSustained, timedWhole } from './take.js';
import { InvalidOutput, validate } from './validate.js';

/** Ids per timed call: enough to make the cost and granularity of the clock negligible. */
export const IDS_PER_CALL = 1_000;

interface SyncRequest {
  /** Timed calls per measure, at most. */
  readonly calls: number;
  /** Milliseconds per measure, at most; but at least `MIN_CALLS` calls are timed. */
  readonly maxMs: number;
}

/** Nanoseconds per id, one entry per timed call. */
export interface SyncTrial extends Record<'raw' | 'asMapKey', readonly number[]> {
  /** Ids per second while they were kept, with the time that the calls waited: see `measureSustained`. */
  readonly sustained: number;
}

/** What is done with each id of a timed call. */
export interface Use {
  /** How many ids it requests; `IDS_PER_CALL` by default. */
  readonly ids?: number;
  /** Requests them. Throws an `InvalidOutput` if they cannot be right. */
  run(nextSync: () => Id, kept: Id[]): void;
}

/** Each id is kept, as a caller would keep it: an engine may never create an id that nothing holds. */
const raw: Use = {
  run(nextSync, kept) {
    for (let i = 0; i < IDS_PER_CALL; i++) kept[i] = nextSync();
  },
};

/**
 * Its one key is never an id. A Map that stored the ids would measure its own growth and garbage collection:
 * docs/decisions/0016.
 */
const keys = new Map<Id, true>([['', true]]);

/** Each id is looked up in a Map, which flattens and hashes it. */
const asMapKey: Use = {
  run(nextSync) {
    let found = 0;
    for (let i = 0; i < IDS_PER_CALL; i++) if (keys.has(nextSync())) found++;
    if (found > 0) throw new InvalidOutput('an id was the empty string');
  },
};

/** What the bench times. */
export const USES = { raw, asMapKey };

const MIN_CALLS = 20;
const CALLS_PER_WARM_UP_BLOCK = 20;

/** Bursts of `nextSync`. Rejects with `InvalidOutput` if the ids are not what the format promises. */
export const syncJob = caseJob(
  import.meta.url,
  'syncJob',
  async (subject, benchCase, request: SyncRequest): Promise<SyncTrial> => {
    const ns = await measureUses(subject, benchCase, request, USES);
    // Without a backend there is nothing to wait for: the rate of the bursts is that of all ids.
    const sustained = subject.ready
      ? await measureSustained(subject, new Pacer(benchCase.maxIdsPerSecond), request.maxMs)
      : (1e9 * ns.raw.length) / ns.raw.reduce((sum, one) => sum + one, 0);
    return { ...ns, sustained };
  },
);

/** The `uses` in their order, by name: nanoseconds per id, one entry per timed call. */
export async function measureUses<Name extends string>(
  subject: Subject,
  { format, maxIdsPerSecond }: Pick<BenchCase, 'format' | 'maxIdsPerSecond'>,
  { calls, maxMs }: SyncRequest,
  uses: Readonly<Record<Name, Use>>,
): Promise<Record<Name, readonly number[]>> {
  const { nextSync } = subject;
  if (nextSync === undefined) throw new Error('there is no nextSync to measure');
  const pacer = new Pacer(maxIdsPerSecond);
  const kept = new Array<Id>(IDS_PER_CALL).fill(0);
  const timed = async ({ run, ids = IDS_PER_CALL }: Use) =>
    (await timedWhole(subject, pacer, ids, () => run(nextSync, kept))) / ids;

  async function times(use: Use, most: number, goOn: (samples: number) => boolean): Promise<number[]> {
    const samples: number[] = [];
    while (samples.length < most && goOn(samples.length)) samples.push(await timed(use));
    return samples;
  }

  async function validated(): Promise<void> {
    await timed(raw);
    validate(kept, IDS_PER_CALL, format);
  }

  await validated();
  const ns = {} as Record<Name, number[]>;
  for (const [name, use] of Object.entries(uses) as [Name, Use][]) {
    const block = () => times(use, CALLS_PER_WARM_UP_BLOCK, () => true);
    await warmUp(block, { minBlocks: 3, maxBlocks: 30 });
    globalThis.gc?.();
    const end = performance.now() + maxMs;
    ns[name] = await times(use, calls, (samples) => samples < MIN_CALLS || performance.now() < end);
    await validated();
  }
  return ns;
}
