import { count, nanoseconds, quantity, rateText, ratioText } from '../judge/words.js';
import type { CaseResult } from '../schema/case.js';
import type { LoopResult } from '../schema/figures.js';
import { type Cell, html, type Markup, nameCell, type Section, table } from './markup.js';

/** The rates of all cases, controls too. */
export function throughput(cases: readonly CaseResult[]): Section[] {
  const inMemory = html`<p>One process, in bursts. As Map key: each id is also looked up in a Map, which flattens and hashes a
concatenated string.</p>
${syncTable(cases)}`;
  return [
    ...(cases.some(({ sync }) => sync) ? [{ title: 'Throughput in memory', body: inMemory }] : []),
    ...(cases.some(({ loops }) => loops)
      ? [{ title: 'Throughput with a server', body: loopTable(cases) }]
      : []),
  ];
}

/** All bursts, with every control. */
function syncTable(cases: readonly CaseResult[]): Markup {
  return table(
    'Bursts of 1,000 calls of nextSync: medians over the blocks with their 95 % intervals',
    ['case', 'ids/s', 'ns per id', 'ns as Map key', 'p99 of a burst', 'timed calls', 'vs its first control'],
    cases.flatMap(({ name, sync, maxIdsPerSecond }) => {
      if (sync === undefined) return [];
      const { ns, nsAsMapKey, trials, ratios } = sync;
      const [ratio] = ratios;
      const calls = trials.reduce((sum, trial) => sum + (trial?.raw.length ?? 0), 0);
      const ceiling = maxIdsPerSecond && html`<small>format: ${quantity(maxIdsPerSecond)}/s</small>`;
      return [
        [
          nameCell(name),
          html`${rateText(sync.idsPerSecond)}${ceiling ?? ''}`,
          `${nanoseconds(ns.median)} (${nanoseconds(ns.low)} - ${nanoseconds(ns.high)})`,
          nanoseconds(nsAsMapKey.median),
          nanoseconds(sync.p99),
          count(calls),
          ratio ? html`${ratioText(ratio)}<small>${ratio.control}</small>` : '',
        ],
      ];
    }),
  );
}

/** All closed loops. */
function loopTable(cases: readonly CaseResult[]): Markup {
  const rowsOf = ({ name }: CaseResult, { concurrency, batch, ...loop }: LoopResult): readonly Cell[] => [
    nameCell(name),
    String(concurrency),
    String(batch),
    rateText(loop.idsPerSecond),
    nanoseconds(loop.p50),
    nanoseconds(loop.p99),
    loop.ratios.map(ratioText).join(', ')
      ? html`${loop.ratios.map((ratio) => html`${ratioText(ratio)}<small>${ratio.control}</small>`)}`
      : '',
  ];
  return table(
    'Closed loops: each caller calls again as soon as it gets an answer',
    ['case', 'callers', 'ids per call', 'ids/s', 'p50 per call', 'p99 per call', 'vs control'],
    cases.flatMap((result) => (result.loops ?? []).map((loop) => rowsOf(result, loop))),
  );
}
