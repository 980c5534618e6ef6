import { advise } from '../../src/judge/advise.js';
import type { CaseResult } from '../../src/schema/case.js';
import type { Ratio } from '../../src/schema/figures.js';
import type { BenchResult } from '../../src/schema/run.js';

const ratio: Ratio = { control: 'bson ObjectId', median: 2.1, low: 2, high: 2.2, verdict: 'faster' };
const around = (median: number) => ({ median, low: median * 0.9, high: median * 1.1 });

const measured: CaseResult = {
  name: 'quick-ids',
  kind: 'strategy',
  status: 'ok',
  maxIdsPerSecond: 16_777_216,
  guarantees: {
    unique: 'cluster',
    order: { process: 'increasing', cluster: 'k-sorted', skewMs: 1_000 },
    gaps: 'on-restart',
    maxIdsLost: 0,
    sync: true,
    idType: 'string',
    text: {
      pattern: '^[0-9a-f]{24}$',
      alphabet: '0123456789abcdef',
      minLength: 24,
      maxLength: 24,
      sortable: true,
    },
    backends: [],
    discloses: ['time', 'volume', 'host', 'address', 'process'],
  },
  sync: {
    idsPerSecond: around(61.3e6),
    sustained: around(58.1e6),
    ns: around(16.3),
    nsAsMapKey: around(85),
    p99: 30.1,
    ratios: [ratio],
  },
  slowdown: {
    first: { sync: 16, waiting: 100 },
    later: { sync: 16, waiting: 100 },
    afterMs: 5_000,
    taken: 2_000_000,
  },
  uniqueness: { ids: 10_000_000, processes: 4, duplicates: 0, examples: [], seconds: 8.2 },
  order: {
    calls: 100_000,
    processes: 4,
    observed: 'k-sorted',
    skewMs: 981.4,
    counterExample:
      'process 1 had b at 1.000 ms, and process 0, asking 981.400 ms later at 982.400 ms, got a',
    brokenClaims: [],
  },
};

const skipped: CaseResult = {
  name: 'needs-redis-and-more',
  kind: 'strategy',
  status: 'skipped',
  reason: 'no redis-server: install it with "apt-get install redis-server", or set REDIS_URL',
  guarantees: {
    unique: 'cluster',
    order: { process: 'increasing', cluster: 'real-time' },
    gaps: 'on-fault',
    sync: false,
    idType: 'number',
    text: { pattern: '^[1-9]', maxLength: 16, sortable: false },
    backends: ['redis', 'sql'],
    discloses: ['volume'],
  },
};

const looped: CaseResult = {
  ...skipped,
  ...(skipped.guarantees && { guarantees: { ...skipped.guarantees, maxIdsLost: 2_000 } }),
  name: 'via-redis',
  status: 'ok',
  openLoops: [0.5, 0.8, 0.95].map((share) => ({
    share,
    rate: share * 52_000,
    latency: [180_000, 220_000, 310_000, 720_000, share > 0.5 ? 2_400_000 : null],
    p99OfWorstBlock: 950_000,
    max: 3_100_000,
    calls: 18_000,
    overloaded: share > 0.9,
  })),
  loops: [1, 16].map((concurrency) => ({
    concurrency,
    batch: 1,
    idsPerSecond: around(52_000),
    p50: 310_000,
    p99: 720_000,
    ratios: [
      { ...ratio, control: 'redis INCR', median: 0.98, low: 0.9, high: 1.02, verdict: 'unclear' as const },
    ],
  })),
};

const control: CaseResult = {
  name: 'bson ObjectId',
  kind: 'control',
  status: 'ok',
  ...(measured.sync && { sync: { ...measured.sync, ratios: [] } }),
};

const inUse: CaseResult[] = [
  {
    ...control,
    name: 'crypto.randomUUID',
    usual: true,
  },
  { name: 'postgres nextval', kind: 'control', status: 'ok', usual: true },
];

/**
 * A finished run with one strategy measured in memory, one through a backend and one skipped; beside them
 * what people already use.
 */
export const resultFixture: BenchResult = {
  schemaVersion: 6,
  incomplete: false,
  startedAt: '2026-01-02T03:04:05.000Z',
  seconds: 88.4,
  profile: 'quick',
  processes: 4,
  environment: {
    node: '20.20.2',
    os: 'Linux 6.1 x64',
    cpu: 'A very long name of a processor that people really ship, 64 cores @ 2.45GHz',
    cores: 2,
    memoryBytes: 2 ** 34,
    otherCores: 0.1,
    redis: '7.0.15',
    postgres: '15.18',
    version: '1.0.0',
  },
  cases: [measured, looped, skipped, control, ...inUse],
  advice: advise({ rate: 2_000 }, [measured, looped, skipped]),
  problems: [],
};

/** What each command shares: that of `resultFixture` with nothing found. */
const { advice: _advice, ...facts } = resultFixture;
const empty: BenchResult = { ...facts, startedAt: '2026-01-02T04:00:00.000Z', cases: [] };

/**
 * Of `bench faults`: one strategy that a fault kept from giving ids for a while, and one fault
 * that could not be tried.
 */
export const faultsFixture: BenchResult = {
  ...empty,
  faults: [
    {
      fault: 'Redis restarted from old data',
      what: 'Redis is killed and starts from what it had saved',
      strategy: 'via-redis',
      ids: 12_345,
      duplicates: 0,
      lost: 1_999,
      withoutIdsMs: 1_512,
      errors: 3,
      firstError: 'Redis cannot be reached',
    },
    {
      fault: 'process killed',
      what: 'one of three processes is killed',
      strategy: 'via-redis',
      skipped: 'no redis-server',
      ids: 0,
      duplicates: 0,
      withoutIdsMs: 0,
      errors: 0,
    },
  ],
};

/** Of `bench keyed`. */
export const keyedFixture: BenchResult = {
  ...empty,
  cases: [
    {
      name: 'quick-ids with keys by Zipf',
      kind: 'strategy',
      status: 'ok',
      loops: [
        {
          concurrency: 256,
          batch: 1,
          idsPerSecond: around(20_000),
          p50: 9e6,
          p99: 40e6,
          ratios: [{ ...around(9), control: 'upsert per call', verdict: 'faster' }],
        },
      ],
    },
  ],
};
