import { fitOf, measuredLoad, preference, sustainedRate } from '../judge/fit.js';
import { needsText, ORDER_NEEDS, TYPE_NEEDS } from '../judge/needs.js';
import type { Offer } from '../judge/rank.js';
import type { Advice, MergedConfig, ServiceNeeds } from '../schema/advice.js';
import type { CaseResult } from '../schema/case.js';
import type { RunResult } from '../schema/run.js';
import { rankAgainScript } from './browser.generated.js';
import { html, Markup, type Section } from './markup.js';

/** The recommendation for each set of needs, and one config for all of them. */
export function adviceCards(advice: readonly Advice[], config?: MergedConfig): Markup {
  return html`${advice.map(card)}
${config === undefined ? '' : mergedConfig(config)}`;
}

/** One config for all generators. */
function mergedConfig(config: MergedConfig): Markup {
  return html`<details><summary>One <code>ids.config.json</code> for all generators</summary>
<pre><code>${config.text}</code></pre><p class="soft">${missingText(config)}</p></details>`;
}

/** What a merged config does not hold, in a sentence for each reason; empty if nothing is missing. */
export function missingText({ leftOut, dropped = [] }: MergedConfig): string {
  const sentences = [
    ['Not in it, because they are secret or not JSON', leftOut],
    ['Dropped, because the ids of the choice do not take them or would not meet the needs', dropped],
  ] as const;
  return sentences
    .filter(([, settings]) => settings.length > 0)
    .map(([why, settings]) => `${why}: ${settings.join(', ')}.`)
    .join(' ');
}

function card({ needs, sentences, config }: Advice): Markup {
  const [headline = 'No strategy was measured.', ...shown] = sentences;
  const title = headline.replace(/\.$/, '');
  return html`<section class="panel verdict"><h2>${needs.name === undefined ? title : `For "${needs.name}": ${title}`}</h2>
<p class="soft">Needs: ${needsText(needs) || 'none stated; choose some under "Other needs"'}</p>
${paragraphs(shown.slice(0, SHOWN))}
${shown.length > SHOWN ? html`<details><summary>More about this choice</summary>${paragraphs(shown.slice(SHOWN))}</details>` : ''}
${config === undefined ? '' : html`<details><summary>Copy into <code>ids.config.json</code></summary><pre><code>${config}</code></pre></details>`}</section>`;
}

/** Sentences of the first screen. The rest, such as the runner-up, is folded. */
const SHOWN = 4;

function paragraphs(sentences: readonly string[]): Markup {
  return html`${sentences.map((sentence) => html`<p>${sentence}</p>`)}`;
}

/** A form that ranks the strategies again for other needs; it requires JavaScript. */
export function otherNeeds({ cases, advice }: RunResult): Section {
  const needs = advice[0]?.needs ?? {};
  const strategies = cases.filter(({ kind }) => kind === 'strategy');
  const offers = JSON.stringify(strategies.map((one) => offerOf(one, needs))).replace(/</g, '\\u003c');
  const body = html`<div class="chooser">
<noscript><p>Other needs require JavaScript here; the option <code>--order real-time</code> does the same.</p></noscript>
<form id="needs" autocomplete="off">
<label>Order <select name="order"><option value="">any</option>${Object.entries(ORDER_NEEDS)
    .filter(([name]) => name !== 'none')
    .map(([name, order]) => option(name, sameOrder(order, needs)))}</select></label>
<label>Column <select name="type"><option value="">any</option>${Object.entries(TYPE_NEEDS).map(
    ([name, type]) => option(name, needs.type === type),
  )}</select></label>
<label>Ids per second, one process <input name="rate" type="number" min="1" step="1" value="${needs.rate ?? ''}"></label>
<label>p99 at that rate, in ms <input name="p99" type="number" min="0" step="any" value="${needs.p99Ms ?? ''}"></label>
${checkbox('offline', 'ids without any backend', needs.offline)}
${checkbox('public', 'outsiders must learn nothing', needs.public)}
</form>
<div class="scroll"><table><caption>Ranked for these needs, best first</caption>
<thead><tr><th scope="col">strategy</th><th scope="col">fits</th><th scope="col">what is missing</th></tr></thead>
<tbody id="ranking" aria-live="polite"></tbody></table></div>
<script>${new Markup(`const offers = ${offers};${rankAgainScript}`)}</script></div>`;
  return { title: 'Other needs', body };
}

/** What the page needs to know of a strategy to rank it for other needs. */
export function offerOf(result: CaseResult, stated: ServiceNeeds): Offer {
  const always = fitOf({}, result).unmet;
  const own = (needs: ServiceNeeds) =>
    fitOf(needs, result).unmet.filter((phrase) => !always.includes(phrase));
  const fields: [string, ServiceNeeds][] = [
    ...Object.entries(ORDER_NEEDS).map(([name, order]): [string, ServiceNeeds] => [
      `order=${name}`,
      { order },
    ]),
    ...Object.entries(TYPE_NEEDS).map(([name, type]): [string, ServiceNeeds] => [`type=${name}`, { type }]),
    ['offline=on', { offline: true }],
    ['public=on', { public: true }],
  ];
  const { order: _order, type: _type, offline: _offline, public: _public, ...rest } = stated;
  const { rate: _rate, p99Ms: _p99, ...others } = rest;
  return {
    strategy: result.name,
    rate: sustainedRate(result),
    atRate: measuredLoad(result),
    stated: own(others),
    preference: preference(result),
    always,
    obfuscate: fitOf({ public: true }, result).obfuscate ?? false,
    unmet: Object.fromEntries(fields.map(([field, needs]) => [field, own(needs)])),
    unproven: Object.fromEntries(
      fields.map(([field, needs]) => [field, fitOf(needs, result).unproven ?? []]),
    ),
  };
}

function sameOrder(
  { cluster, process }: NonNullable<ServiceNeeds['order']>,
  { order }: ServiceNeeds,
): boolean {
  return order !== undefined && order.cluster === cluster && order.process === process;
}

function option(name: string, selected: boolean): Markup {
  return selected
    ? html`<option value="${name}" selected>${name}</option>`
    : html`<option value="${name}">${name}</option>`;
}

function checkbox(name: string, label: string, checked = false): Markup {
  const box = checked
    ? html`<input type="checkbox" name="${name}" checked>`
    : html`<input type="checkbox" name="${name}">`;
  return html`<label class="box">${box} ${label}</label>`;
}
