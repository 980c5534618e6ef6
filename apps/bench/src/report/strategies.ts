import {
  bestFirst,
  type FitNotes,
  fitNotes,
  HEADLINE_NOTES,
  type Headline,
  headlineOf,
  headlineTitles,
  inUseOf,
} from '../judge/headline.js';
import { count } from '../judge/words.js';
import { shellCommand } from '../result/parts.js';
import type { CaseResult } from '../schema/case.js';
import type { Environment, RunResult } from '../schema/run.js';
import { adviceCards, otherNeeds } from './advice.js';
import { anatomySection } from './anatomy.js';
import { atRateSection, latencySection } from './latency.js';
import { type Cell, html, type Markup, nameCell, type Section, tableRow, tableWith } from './markup.js';
import { orderSection } from './order.js';
import { ratePicture } from './rate-chart.js';
import { serversSection } from './servers.js';
import { throughput } from './throughput.js';
import { uniquenessSection } from './uniqueness.js';

/** What decides: the recommendation, one picture and one table. */
export function firstScreen(result: RunResult): Markup {
  const { advice, cases, config } = result;
  const chosen = advice.flatMap(({ choice }) => choice ?? []);
  return html`<div class="first"><div>${adviceCards(advice, config)}</div>
${ratePicture(cases, advice.find(({ needs }) => needs.rate !== undefined)?.needs ?? {}, chosen)}</div>
${decisionTable(result)}`;
}

/** What was measured for each strategy. */
export function strategySections(result: RunResult): Section[] {
  const { cases, advice, startedAt } = result;
  const strategies = cases.filter(({ kind }) => kind === 'strategy');
  const rate = advice.find(({ needs }) => needs.rate !== undefined)?.needs.rate;
  return [
    otherNeeds(result),
    ...serversSection(strategies),
    ...atRateSection(cases),
    ...throughput(cases),
    ...latencySection(cases),
    uniquenessSection(strategies),
    orderSection(strategies),
    ...anatomySection(strategies, { startedAt, rate }),
    { title: 'Method and limits', body: methodText(result) },
  ];
}

/** Strategies best first, then what people already use, with the same columns. */
function decisionTable(result: RunResult): Markup {
  const { advice, cases } = result;
  const rate = cases.find(({ atRate }) => atRate !== undefined)?.atRate?.rate;
  const inUse = inUseOf(cases);
  const { cells, notes } = fitNotes(advice, inUse);
  const { name, ...titles } = headlineTitles(rate);
  const rows = (results: readonly CaseResult[]) =>
    results.map((one) => tableRow(decisionRow(one, cells, rate)));
  const columns = Object.keys(titles).length + 2;
  return html`<section class="decision"><h2>Decision table</h2>${tableWith(
    'Strategies, best first',
    [name, 'fits', ...Object.values(titles)],
    html`<tbody>${rows(bestFirst(result))}</tbody>${
      inUse.length === 0
        ? ''
        : html`<tbody class="in-use"><tr><th colspan="${columns}" scope="rowgroup"><span>For comparison: what people already use. Speed as measured here; the rest by specification, not tested.</span></th></tr>${rows(inUse)}</tbody>`
    }`,
  )}
${notes.map((note) => html`<p class="soft">${note}</p>`)}
<details><summary>What the columns mean</summary><ul>${HEADLINE_NOTES.map((note) => html`<li>${note}</li>`)}</ul></details></section>`;
}

function decisionRow(result: CaseResult, fits: FitNotes['cells'], rate: number | undefined): readonly Cell[] {
  const { name, ...others } = headlineOf(result, rate);
  const { status } = result;
  const trouble = status === 'ok' ? '' : html`<small class="bad">${status.toUpperCase()}</small>`;
  return [
    html`${nameCell(name.text)}${name.note === '' ? '' : html`<small>${name.note}</small>`}${trouble}`,
    fits.get(result.name) ?? '',
    ...Object.values(others).map(noted),
  ];
}

function noted({ text, note }: Headline['name']): Markup {
  return html`${text}${note === '' ? '' : html`<small>${note}</small>`}`;
}

function whereServersRan({ byUrl = [] }: Environment): string {
  if (byUrl.length === 0) return 'Backends run on this machine, so the figures include no network.';
  const named = byUrl.map((backend) => (backend === 'redis' ? 'REDIS_URL' : 'DATABASE_URL')).join(' and ');
  return `The figures include the network to the servers in ${named}.`;
}

/** How the figures were measured, and what they cannot show. */
function methodText(run: RunResult): Markup {
  const { profile, processes, environment } = run;
  const { syncBlocks, sync, loopBlocks, loopMs, order } = profile;
  return html`<ul>
<li>Each trial runs in a fresh process, from built files. Each block measures all cases, in the order of a Williams design: no case always follows the same one. A trial warms up until a block
improves by less than 5 %, and collects garbage before each measurement.</li>
<li>In memory: ${syncBlocks} blocks of up to ${count(sync.calls)} timed calls or ${sync.maxMs} ms, 1,000 ids per timed call, each id kept in an array. A call
that finds a segment buffer empty is not timed; the most ids per second in one process, in the recommendation, include that wait. Bursts stay at or below half
of the limit of the format.</li>
<li>With a backend: ${loopBlocks} blocks of ${loopMs} ms per setting, each caller returning to the event loop between calls. Latency in a closed loop hides
stalls that would affect independent callers. ${whereServersRan(environment)}</li>
<li>Intervals: 95 %, percentile bootstrap over blocks, ratios paired by block. With few blocks they are too narrow: with fewer than five there is no verdict. "tie": the whole interval
lies within 5 % of equal; "unclear": it reaches into that band, or there are fewer than five blocks.</li>
<li>Before and after timing, ids are checked for type, pattern, length and repetition; one wrong id makes the case INVALID.</li>
<li>Uniqueness: all ids of ${processes} processes at once are written to disk, partitioned, and compared in full. No faults were injected in this run.</li>
<li>Order: ${count(order.calls)} calls of next() in each of ${processes} processes at once (a hundredth of that in the last), ${order.concurrency} at a time, spread over at least ${order.windowMs} ms, with times on the machine's
monotonic clock. One machine has one clock: the figures include no skew between machines.</li>
</ul>
<p>Reproduce with <code>${shellCommand('run', run) ?? ''} --${profile.name}</code>; raw samples and the seed are in <code>result.json</code>.</p>`;
}
