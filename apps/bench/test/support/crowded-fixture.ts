import { caseList } from '../../src/cases/strategies.js';
import { advise } from '../../src/judge/advise.js';
import type { ServiceNeeds } from '../../src/schema/advice.js';
import type { CaseResult } from '../../src/schema/case.js';
import type { BenchResult } from '../../src/schema/run.js';
import { atRateOf, burstsOf, chosenCase, loopOf, orderOf, uniquenessOf } from './chosen-case.js';
import { resultFixture } from './result-fixture.js';

/** ids/s and p99 in ns: in bursts, or at 50, 80 and 95 % of what it can do. */
const MEASURED: Readonly<Record<string, { burst?: [number, number]; loads?: [number, number][] }>> = {
  objectid: { burst: [29e6, 104] },
  uuid7: { burst: [12.7e6, 352] },
  gpid: { burst: [41e6, 72] },
  'segment-inproc': {
    burst: [400e6, 5],
    loads: [
      [650e3, 2.3e6],
      [1.1e6, 590e3],
      [1.3e6, 300e3],
    ],
  },
  "segment-inproc with order: 'real-time'": {
    loads: [
      [110e3, 18e6],
      [170e3, 17e6],
      [200e3, 12e6],
    ],
  },
  'segment-redis-db': {
    loads: [
      [250e3, 7.5e6],
      [400e3, 6.5e6],
      [480e3, 7.4e6],
    ],
  },
  snowflake: {
    burst: [22e6, 84],
    loads: [
      [700e3, 1.8e6],
      [1e6, 190e3],
      [1.2e6, 350e3],
    ],
  },
  'crypto.randomUUID': { burst: [8.4e6, 930] },
  'uuid v7': { burst: [490e3, 3_600] },
  nanoid: { burst: [6e6, 775] },
  ulid: { burst: [3e6, 795] },
  'postgres nextval': {
    loads: [
      [5.6e3, 9.2e6],
      [9e3, 9.4e6],
      [10.7e3, 16e6],
    ],
  },
};

/** All strategies, and what people already use, as a run of this bench has them: many names in each chart. */
export function crowdedFixture(needs: ServiceNeeds = {}, parts: Partial<BenchResult> = {}): BenchResult {
  const cases = caseList.cases.flatMap((one): CaseResult[] => {
    const { burst, loads = [] } = MEASURED[one.name] ?? {};
    const figures: Partial<CaseResult> = {
      ...(burst && { sync: { ...burstsOf(burst[0]), p99: burst[1] } }),
      ...(loads.length > 0 && {
        loops: [loopOf(loads.at(-1)?.[0] ?? 0)],
        openLoops: loads.map(([rate, p99], i) => ({
          share: [0.5, 0.8, 0.95][i] ?? 1,
          rate,
          latency: [p99 / 9, p99 / 5, p99 / 2, p99, null],
          p99OfWorstBlock: 2 * p99,
          max: 3 * p99,
          calls: 9_000,
          overloaded: false,
        })),
      }),
      ...(needs.rate !== undefined && {
        atRate: atRateOf(needs.rate, { p99: (loads[0]?.[1] ?? 9e4) / 1e6 }),
      }),
    };
    if (one.kind === 'control') {
      const { name, kind, usual } = one;
      return usual ? [{ name, kind, usual, status: 'ok', ...figures }] : [];
    }
    const { text, ...guarantees } = one.guarantees;
    return [
      chosenCase(
        one.name,
        { ...guarantees, text: { ...text, pattern: text.pattern.source } },
        {
          ...figures,
          ...(one.idTypes && { idTypes: one.idTypes }),
          uniqueness: uniquenessOf(0),
          order: orderOf(),
        },
      ),
    ];
  });
  const advice = advise(needs, cases, { notComparable: parts.notComparable });
  return { ...resultFixture, cases, advice, ...parts };
}
