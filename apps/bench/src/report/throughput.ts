import type { LoopResult } from '../experiments/throughput.js';
import { headlineLoop } from '../judge/headline.js';
import { count, nanoseconds, quantity, rateText, ratioText } from '../judge/words.js';
import type { CaseResult } from '../result/types.js';
import { type Cell, html, type Markup, table } from './markup.js';
import { type Bar, barChart } from './svg-chart.js';

/** Charts of all rates, each with its table. */
export function throughput(cases: readonly CaseResult[], rate?: number): Markup {
  const mark = rate === undefined ? undefined : { value: rate, label: `your rate: ${quantity(rate)}/s` };
  const dashed =
    mark === undefined
      ? ''
      : ` The dashed line is the rate that you need, ${count(rate ?? 0)} ids per second.`;
  // The empty loop is a hundred times as fast as the rest, whose bars it would flatten; it is in the table.
  const burst = cases.filter(({ name, sync }) => sync !== undefined && name !== 'empty loop');
  const looped = cases.filter((one) => headlineLoop(one) !== undefined);
  const bars = (concerned: readonly CaseResult[], valueFor: (one: CaseResult) => Bar['value'] | undefined) =>
    concerned.flatMap((one): Bar[] => {
      const value = valueFor(one);
      if (value === undefined) return [];
      return [{ label: one.name, value, emphasis: one.kind === 'strategy' }];
    });
  const raw = bars(burst, ({ sync }) => sync?.idsPerSecond).map((bar) => {
    const limit = cases.find(({ name }) => name === bar.label)?.maxIdsPerSecond;
    return limit === undefined ? bar : { ...bar, limit };
  });
  const keys = bars(burst, ({ sync }) => sync && rateOf(sync.nsAsMapKey));
  const loops = bars(looped, (one) => headlineLoop(one)?.idsPerSecond);
  return html`${
    raw.length > 0
      ? html`<h2>Throughput in memory</h2>
<p>One process, in bursts. The vertical line is the most that a format allows per second.${dashed}</p>
${barChart('Ids per second in bursts', 'ids per second (million = M), in bursts', raw, mark)}
<p>The same with each id looked up in a Map, which flattens and hashes a concatenated string:</p>
${barChart('Ids per second, each looked up in a Map', 'ids per second, each looked up in a Map', keys, mark)}
<details open><summary>Table</summary>${syncTable(cases)}</details>`
      : ''
  }
${
  loops.length > 0
    ? html`<h2>Throughput with a backend</h2>
<p>One process, 16 callers, one id per call.${dashed}</p>
${barChart('Ids per second at 16 callers', 'ids per second, 16 callers', loops, mark)}
<details open><summary>Table</summary>${loopTable(cases)}</details>`
    : ''
}`;
}

function rateOf(ns: Bar['value']): Bar['value'] {
  return { median: 1e9 / ns.median, low: 1e9 / ns.high, high: 1e9 / ns.low };
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
          name,
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
    name,
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
