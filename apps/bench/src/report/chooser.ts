import { fitOf, sustainedRate } from '../choose/fit.js';
import { preference } from '../choose/rank.js';
import { ORDER_NEEDS, type ServiceNeeds, TYPE_NEEDS } from '../choose/service-needs.js';
import type { CaseResult } from '../result.js';
import { chooserScript } from './chooser-script.js';
import { html, Markup } from './escape.js';

/**
 * The phrases of each need that one strategy does not meet, worked out here so that the page
 * holds no matching logic.
 */
interface Offer {
  readonly strategy: string;
  readonly rate: number | undefined;
  readonly preference: readonly number[];
  /** Whatever is needed. */
  readonly always: readonly string[];
  /** It fits where strangers must learn nothing, once its ids are obfuscated. */
  readonly obfuscate: boolean;
  /** By the value of a form field, such as `order=real-time`. */
  readonly unmet: Readonly<Record<string, readonly string[]>>;
}

/** A form that ranks the strategies again for other needs. Without a script it says so. */
export function chooser(cases: readonly CaseResult[], needs: ServiceNeeds): Markup {
  const strategies = cases.filter(({ kind }) => kind === 'strategy');
  const offers = JSON.stringify(strategies.map(offerOf)).replace(/</g, '\\u003c');
  return html`<section class="chooser" aria-labelledby="chooser-title"><h2 id="chooser-title">Other needs</h2>
<noscript><p>Ranking again needs a script; <code>pnpm bench --order real-time</code> does the same.</p></noscript>
<form id="needs" autocomplete="off">
<label>Order <select name="order"><option value="">any</option>${Object.keys(ORDER_NEEDS)
    .filter((name) => name !== 'none')
    .map((name) => option(name, sameOrder(name, needs)))}</select></label>
<label>Column <select name="type"><option value="">any</option>${Object.entries(TYPE_NEEDS).map(
    ([name, type]) => option(name, needs.type === type),
  )}</select></label>
<label>Ids per second, one process <input name="rate" type="number" min="1" step="1" value="${needs.rate ?? ''}"></label>
${checkbox('offline', 'ids come without any backend', needs.offline)}
${checkbox('public', 'strangers must learn nothing', needs.public)}
</form>
<div class="scroll"><table><caption>Ranked for these needs, best first</caption>
<thead><tr><th scope="col">strategy</th><th scope="col">fits</th><th scope="col">what is missing</th></tr></thead>
<tbody id="ranking" aria-live="polite"></tbody></table></div>
<script>${new Markup(`const offers = ${offers};${chooserScript}`)}</script></section>`;
}

function offerOf(result: CaseResult): Offer {
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
  return {
    strategy: result.name,
    rate: sustainedRate(result),
    preference: preference(result),
    always,
    obfuscate: fitOf({ public: true }, result).obfuscate ?? false,
    unmet: Object.fromEntries(fields.map(([field, needs]) => [field, own(needs)])),
  };
}

function sameOrder(name: string, { order }: ServiceNeeds): boolean {
  const { cluster, process } = ORDER_NEEDS[name] ?? {};
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
