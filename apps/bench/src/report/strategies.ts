import type { Environment } from '../experiments/machine.js';
import { type FitNotes, fitNotes, headlineOf, whatItCosts } from '../judge/headline.js';
import { count, quantity } from '../judge/words.js';
import { type CaseResult, type RunResult, shellCommand } from '../result/types.js';
import { adviceSection } from './advice.js';
import { anatomySection } from './anatomy.js';
import { atRateSection, latencySection } from './latency.js';
import { html, type Markup, table } from './markup.js';
import { orderSection } from './order.js';
import { throughput } from './throughput.js';
import { uniquenessSection } from './uniqueness.js';

/** What to choose, and what was measured for each strategy. */
export function strategySections(result: RunResult): Markup {
  const strategies = result.cases.filter(({ kind }) => kind === 'strategy');
  const rate = result.advice.find(({ needs }) => needs.rate !== undefined)?.needs.rate;
  return html`${adviceSection(result)}
<h2>Decision table</h2>
${decisionTable(strategies, fitNotes(result.advice))}
<h2>What each one costs</h2>
<ul>${strategies.map((one) => html`<li>${whatItCosts(one)}</li>`)}</ul>
${throughput(result.cases, rate)}
${atRateSection(result.cases)}
${latencySection(result.cases)}
${uniquenessSection(strategies)}
${orderSection(strategies)}
${anatomySection(strategies, { startedAt: result.startedAt, rate })}
<h2>Method and limits</h2>
${methodText(result)}`;
}

/** The main figures of each strategy. */
function decisionTable(strategies: readonly CaseResult[], { cells, notes }: FitNotes): Markup {
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
        maxIdsPerSecond && html`<small>limit ${quantity(maxIdsPerSecond)}/s per process</small>`;
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
<p class="soft">p99.9 at 80 %: in an open loop at 80 % of the capacity; "-" if there were fewer than 10,000 calls. Lost per restart: the most ids that are reserved but not issued at any moment, as the strategy guarantees.</p>`;
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
