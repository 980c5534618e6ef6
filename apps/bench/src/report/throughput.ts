import { nanoseconds, quantity, rateText } from '../judge/words.js';
import type { CaseResult } from '../schema/case.js';
import type { LoopResult, SyncResult } from '../schema/figures.js';
import { nameCell, ratioCell, type Section, table } from './blocks.js';

/** The rates of all cases, controls too. */
export function throughput(cases: readonly CaseResult[]): Section[] {
  const bursts = cases.flatMap(({ sync, ...one }) => (sync ? [{ ...one, ...sync }] : []));
  const loops = cases.flatMap(({ name, loops: own = [] }) => own.map((loop) => ({ name, ...loop })));
  return [...(bursts.length > 0 ? [inMemory(bursts)] : []), ...(loops.length > 0 ? [withServer(loops)] : [])];
}

type Named<Figures> = Figures & Pick<CaseResult, 'name' | 'maxIdsPerSecond'>;

function inMemory(bursts: readonly Named<SyncResult>[]): Section {
  const how =
    'One process, in bursts. As Map key: each id is also looked up in a Map, which flattens and hashes a concatenated string.';
  const found = table<Named<SyncResult>>(
    'Bursts of 1,000 calls of nextSync: medians over the blocks with their 95 % intervals',
    [
      ['case', ({ name }) => nameCell(name)],
      [
        'ids/s',
        ({ idsPerSecond, maxIdsPerSecond: most }) => ({
          text: rateText(idsPerSecond),
          note: most === undefined ? '' : `format: ${quantity(most)}/s`,
        }),
      ],
      [
        'ns per id',
        ({ ns }) => `${nanoseconds(ns.median)} (${nanoseconds(ns.low)} - ${nanoseconds(ns.high)})`,
      ],
      ['ns as Map key', ({ nsAsMapKey }) => nanoseconds(nsAsMapKey.median)],
      ['p99 of a burst', ({ p99 }) => nanoseconds(p99)],
      ['vs its first control', ({ ratios }) => ratioCell(ratios)],
    ],
    bursts,
  );
  return { title: 'Throughput in memory', blocks: [how, found] };
}

function withServer(loops: readonly Named<LoopResult>[]): Section {
  const found = table<Named<LoopResult>>(
    'Closed loops: each caller calls again as soon as it gets an answer',
    [
      ['case', ({ name }) => nameCell(name)],
      ['callers', ({ concurrency }) => String(concurrency)],
      ['ids per call', ({ batch }) => String(batch)],
      ['ids/s', ({ idsPerSecond }) => rateText(idsPerSecond)],
      ['p50 per call', ({ p50 }) => nanoseconds(p50)],
      ['p99 per call', ({ p99 }) => nanoseconds(p99)],
      ['vs its first control', ({ ratios }) => ratioCell(ratios)],
    ],
    loops,
  );
  return { title: 'Throughput with a server', blocks: [found] };
}
