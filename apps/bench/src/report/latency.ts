import { count, nanoseconds, quantity } from '../judge/words.js';
import { PERCENTILES } from '../measure/latencies.js';
import type { CaseResult } from '../schema/case.js';
import type { OpenLoopResult } from '../schema/figures.js';
import { type Column, latencyCell, nameCell, type Section, table } from './blocks.js';

/** What open loops of a case show, whether at a rate that is needed or at a share of what it can do. */
type Load = Pick<OpenLoopResult, 'latency' | 'p99OfWorstBlock' | 'max'>;

function at(percent: (typeof PERCENTILES)[number]): Column<Load> {
  return [`p${percent}`, ({ latency }) => latencyCell(latency[PERCENTILES.indexOf(percent)]), 9];
}

const COLUMNS: readonly Column<Load>[] = [
  at(50),
  at(99),
  ['worst block', ({ p99OfWorstBlock }) => latencyCell(p99OfWorstBlock), 9],
  at(99.9),
  ['max', ({ max }) => nanoseconds(max), 9],
];

const OF_WORST = 'Worst block: the p99 of the worst part of the time.';

/** What cases did at the rate that the service needs; empty if it stated none. */
export function atRate(cases: readonly CaseResult[]): Section[] {
  const found = cases.flatMap(({ name, atRate: load }) => {
    if (load === undefined) return [];
    const { nextSync } = load;
    return [{ ...load, name }, ...(nextSync ? [{ ...load, ...nextSync, name: `${name}: nextSync` }] : [])];
  });
  const [first] = found;
  if (first === undefined) return [];
  // What no strategy can undercut on this machine.
  const all = [...found, { ...first, ...first.baseline, name: 'ids that cost nothing' }];
  const columns: Column<typeof first>[] = [
    ['ids', ({ name }) => nameCell(name), 20],
    ...COLUMNS,
    [
      'failed calls',
      ({ errors, calls, overloaded, achieved }) => ({
        text: errors === 0 ? '0' : `${count(errors)} of ${count(calls)}`,
        note: overloaded ? `overloaded, ${quantity(achieved)} ids/s` : '',
      }),
      15,
    ],
  ];
  const where = `At ${quantity(first.rate)} ids/s in each of ${first.processes} processes. ${AT_RATE}`;
  return [{ title: 'At your rate', blocks: [`${where} ${OF_WORST}`, table('Open loops', columns, all)] }];
}

const AT_RATE =
  'Open loop: calls of next() at fixed times in each process; nextSync stands beside where there is one, and is not judged unless it is needed. Latency from the intended start of each call, over all calls of the process that was worst.';

/** The latency of independent callers. */
export function underLoad(cases: readonly CaseResult[]): Section[] {
  const found = cases.flatMap(({ name, openLoops = [] }) => openLoops.map((one) => ({ ...one, name })));
  if (found.length === 0) return [];
  const columns: Column<(typeof found)[number]>[] = [
    ['case', ({ name }) => nameCell(name), 19],
    [
      'load',
      ({ share, overloaded }) => ({ text: `${Math.round(share * 100)} %`, note: overloaded ? 'over' : '' }),
      7,
    ],
    ['calls/s', ({ rate }) => quantity(rate), 9],
    ...COLUMNS,
    ['calls', ({ calls }) => count(calls)],
  ];
  const loops = table('Open loops; p99.9 if there were 10,000 calls', columns, found);
  return [{ title: 'Latency under load', blocks: [`${UNDER_LOAD} ${OF_WORST}`, loops] }];
}

const UNDER_LOAD =
  'Open loop: calls at fixed times, at shares of what closed loops achieved; latency counts from the intended start of each call, so a stall affects all calls that were due during it. Percentiles are those of all calls of all blocks.';
