import { commandOf } from '../parts.js';
import type { CaseResult, Environment, LoopResult, RunResult } from '../result.js';
import { html, type Markup } from './escape.js';
import type { FitNotes } from './fit-notes.js';
import { count, nanoseconds, quantity, rateText, ratioText } from './format.js';
import { headlineOf } from './headline.js';

type Cell = Markup | string;

export function table(caption: string, head: readonly string[], rows: readonly (readonly Cell[])[]): Markup {
  return html`<div class="scroll"><table><caption>${caption}</caption>
<thead><tr>${head.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([first = '', ...rest]) =>
      html`<tr><th scope="row">${first}</th>${rest.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  )}</tbody></table></div>`;
}

/** What an engineer decides by. */
export function decisionTable(strategies: readonly CaseResult[], { cells, notes }: FitNotes): Markup {
  const head = [
    'strategy',
    'fits',
    'ids/s',
    'vs control (95 %)',
    'as Map key',
    'p50',
    'p99',
    'p99.9 at 80 %',
    'order observed',
    'duplicates',
    'lost per restart',
  ];
  return html`${table(
    'Strategies without a backend in bursts, the others in a closed loop of 16 callers',
    [...head, 'id', 'discloses'],
    strategies.map((result) => {
      const line = headlineOf(result);
      const { status, maxIdsPerSecond } = result;
      const trouble = status === 'ok' ? '' : html`<strong class="bad">${status.toUpperCase()}</strong>`;
      const ceiling =
        maxIdsPerSecond && html`<small>ceiling ${quantity(maxIdsPerSecond)}/s per process</small>`;
      return [
        line.name,
        cells.get(line.name) ?? '',
        html`${line.idsPerSecond} ${trouble}${ceiling ?? ''}`,
        html`${line.ratio}<small>${line.control}</small>`,
        line.asMapKey || '-',
        line.p50,
        line.p99,
        line.tail,
        html`${line.order}<small>claimed: ${line.claimed}</small>`,
        line.duplicates,
        line.lost,
        line.id,
        line.discloses,
      ];
    }),
  )}
${notes.map((note) => html`<p class="soft">${note}</p>`)}
<p class="soft">p99.9 at 80 %: in an open loop at 80 % of the capacity; "-" where fewer than 10,000 calls were made. Lost per restart: the most ids that are set aside and not given at any moment, as the strategy guarantees.</p>`;
}

/** All bursts, with every control. */
export function syncTable(cases: readonly CaseResult[]): Markup {
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
export function loopTable(cases: readonly CaseResult[]): Markup {
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
    'Closed loops: each caller asks again once it was served',
    ['case', 'callers', 'ids per call', 'ids/s', 'p50 per call', 'p99 per call', 'vs control'],
    cases.flatMap((result) => (result.loops ?? []).map((loop) => rowsOf(result, loop))),
  );
}

/** One column for each run; all are of one machine. */
export function environmentTable(runs: readonly RunResult[]): Markup {
  const rows: [string, (run: RunResult) => string][] = [
    ['Started', ({ startedAt }) => startedAt],
    ['Took', ({ seconds, profile }) => `${seconds.toFixed(1)} s, profile ${profile.name}`],
    ['Machine', ({ environment }) => machineText(environment)],
    ['Load average (1 min)', ({ environment: { load } }) => `${load.before} before, ${load.after} after`],
    ['Node', ({ environment }) => environment.node],
    ['Redis', ({ environment }) => environment.redis ?? 'not used'],
    ['Postgres', ({ environment }) => environment.postgres ?? 'not used'],
    ['Commit', ({ environment }) => environment.gitCommit ?? 'unknown'],
    ['Seed of the bootstrap', ({ seed }) => String(seed)],
  ];
  return table(
    'Where and when',
    ['', ...runs.map(commandOf)],
    rows.map(([title, of]) => [title, ...runs.map(of)]),
  );
}

function machineText({ cpu, cores, memoryBytes, os }: Environment): string {
  return `${cpu}, ${cores} cores, ${(memoryBytes / 2 ** 30).toFixed(1)} GiB, ${os}`;
}
