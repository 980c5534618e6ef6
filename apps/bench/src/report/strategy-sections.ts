import { needsText } from '../choose/service-needs.js';
import type { Advice, RunResult } from '../result.js';
import { anatomySection } from './anatomy-section.js';
import { chooser } from './chooser.js';
import { html, type Markup } from './escape.js';
import { fitNotes } from './fit-notes.js';
import { count } from './format.js';
import { latencySection } from './latency-section.js';
import { orderSection } from './order-section.js';
import { decisionTable, table } from './tables.js';
import { throughput } from './throughput-section.js';
import { uniquenessSection } from './uniqueness-section.js';
import { whatItCosts } from './what-it-costs.js';

/** What to choose, and what each strategy did. */
export function strategySections(result: RunResult): Markup {
  const strategies = result.cases.filter(({ kind }) => kind === 'strategy');
  const rate = result.advice.find(({ needs }) => needs.rate !== undefined)?.needs.rate;
  return html`${adviceSection(result)}
<h2>Decision table</h2>
${decisionTable(strategies, fitNotes(result.advice))}
<h2>What you give up</h2>
<ul>${strategies.map((one) => html`<li>${whatItCosts(one)}</li>`)}</ul>
${throughput(result.cases, rate)}
${latencySection(result.cases)}
${uniquenessSection(strategies)}
${orderSection(strategies)}
${anatomySection(strategies, { startedAt: result.startedAt, rate })}
<h2>Method and limits</h2>
${methodText(result)}`;
}

/** What to use: for the needs of this run, and for any others. */
function adviceSection({ advice, cases }: RunResult): Markup {
  return html`${advice.map(card)}
${chooser(cases, advice[0]?.needs ?? {})}`;
}

function card({ needs, choice, fits, sentences, config }: Advice): Markup {
  const title = choice === undefined ? 'Nothing fits' : `Use ${choice}`;
  const [, ...rest] = sentences;
  const shown =
    choice === undefined ? sentences : [(sentences[0] ?? '').replace(/^Use [^:]*: /, ''), ...rest];
  return html`<section class="panel verdict"><h2>${title}${needs.name === undefined ? '' : ` for "${needs.name}"`}</h2>
<p class="soft">Needs: ${needsText(needs) || 'none were stated; choose some below'}</p>
${shown.map((sentence) => html`<p>${capital(sentence)}</p>`)}
${config === undefined ? '' : html`<p>Copy into <code>ids.config.json</code>:</p><pre><code>${config}</code></pre>`}
${table(
  'Who fits, best first',
  ['strategy', 'fits', 'what is missing'],
  fits.map(({ strategy, unmet, obfuscate }) => [
    strategy,
    unmet.length > 0 ? 'no' : obfuscate ? 'when obfuscated' : 'yes',
    unmet.join('; '),
  ]),
)}</section>`;
}

function capital(sentence: string): string {
  return sentence.slice(0, 1).toUpperCase() + sentence.slice(1);
}

/** How the figures came about and what they cannot say. */
function methodText({ profile, processes }: RunResult): Markup {
  const { syncBlocks, sync, loopBlocks, loopMs, order } = profile;
  return html`<ul>
<li>Each trial runs in a fresh process, from built files; blocks of all cases in an order that rotates; warm until a block
improves by less than 5 %; garbage is collected before each measure.</li>
<li>In memory: ${syncBlocks} blocks of up to ${count(sync.calls)} timed calls or ${sync.maxMs} ms, 1,000 ids per timed call, each id kept in an array. A call
that finds a segment buffer empty is not timed: what refills cost shows in the closed loops. Bursts stay at or below half
of the format's ceiling.</li>
<li>With a backend: ${loopBlocks} blocks of ${loopMs} ms per setting, each caller returning to the event loop before it asks again. Latency in a closed loop hides
stalls that independent callers would feel. Backends run on this machine, so there is no network in the figures.</li>
<li>Intervals: 95 %, percentile bootstrap over blocks, ratios paired by block. With so few blocks they tend to be too narrow. "tie": the whole interval
lies within 5 % of equal; "unclear": it reaches into that band.</li>
<li>Before and after timing the ids are checked for type, pattern, length and repetition; one wrong id makes the case INVALID.</li>
<li>Uniqueness: all ids of ${processes} processes at once are written to disk, partitioned, and compared in full. No faults were injected in this run.</li>
<li>Order: ${count(order.calls)} calls of next() in each of ${processes} processes at once (a hundredth of that in the last), ${order.concurrency} at a time, spread over at least ${order.windowMs} ms, with times on the machine's
monotonic clock. One machine has one clock: skew between machines is not in it.</li>
</ul>
<p>Reproduce with <code>pnpm bench --${profile.name}</code>; raw samples and the seed are in <code>result.json</code>.</p>`;
}
