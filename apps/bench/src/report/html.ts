import type { BenchResult, CaseResult } from '../result.js';
import { adviceSection } from './advice-section.js';
import { claimsSection } from './claims-section.js';
import { comparisonLines } from './comparison-words.js';
import { html, Markup } from './escape.js';
import { faultsSection } from './fault-tables.js';
import { count } from './format.js';
import { observedText } from './headline.js';
import { indexSection } from './index-tables.js';
import { latencySection } from './latency-section.js';
import { methodText } from './method-text.js';
import { pageStyle } from './page-style.js';
import { decisionTable, environmentTable, table } from './tables.js';
import { throughput } from './throughput-section.js';
import { whatItCosts } from './what-it-costs.js';

/** The whole report as one page that needs nothing else: no font, no network. */
export function renderHtml(result: BenchResult): string {
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>ids bench, ${result.startedAt}</title><style>${new Markup(pageStyle)}</style></head>
<body>
<header><h1>ids bench</h1>
<p class="soft">Which id strategy to choose, by what they did on this machine.</p></header>
<main>
${notices(result)}
${result.claims ? claimsSection(result.claims) : ''}
${result.faults ? faultsSection(result.faults) : ''}
${result.indexCosts ? indexSection(result.indexCosts) : ''}
${result.cases.length > 0 ? strategySections(result) : ''}
${
  result.comparison
    ? html`<h2>Compared with the run of ${result.comparison.with}</h2>
<ul>${comparisonLines(result.comparison).map((line) => html`<li>${line}</li>`)}</ul>`
    : ''
}
<h2>Environment</h2>
${environmentTable(result)}
</main>
</body></html>
`;
  return page.text;
}

function strategySections(result: BenchResult): Markup {
  const strategies = result.cases.filter(({ kind }) => kind === 'strategy');
  return html`${adviceSection(result)}
<h2>Decision table</h2>
${decisionTable(strategies)}
<h2>What you give up</h2>
<ul>${strategies.map((one) => html`<li>${whatItCosts(one)}</li>`)}</ul>
${throughput(result.cases)}
${latencySection(result.cases)}
<h2>Uniqueness</h2>
${uniquenessTable(strategies)}
<h2>Order</h2>
${orderTable(strategies)}
<h2>Method and limits</h2>
${methodText(result)}`;
}

function notices({ incomplete, notComparable, problems, cases }: BenchResult): Markup {
  const skipped = cases.filter(({ status }) => status === 'skipped');
  return html`${notComparable ? html`<p class="panel bad">NOT COMPARABLE: ${notComparable}. Other programs were busy on this machine: times and rates mean little. What was found out about uniqueness and order stands.</p>` : ''}
${incomplete ? html`<p class="panel bad">The run was stopped: the figures are of what was measured until then.</p>` : ''}
${problems.length > 0 ? html`<section class="panel bad"><h2>Wrong</h2><ul>${problems.map((problem) => html`<li>${problem}</li>`)}</ul></section>` : ''}
${skipped.length > 0 ? html`<section class="panel"><h2>Skipped</h2><ul>${skipped.map(({ name, reason }) => html`<li>${name}: ${reason ?? ''}</li>`)}</ul></section>` : ''}`;
}

function uniquenessTable(strategies: readonly CaseResult[]): Markup {
  return table(
    'Every id written down and compared with every other: no sample, no filter, no hash in their place',
    ['strategy', 'ids', 'processes at once', 'duplicates', 'took', 'which'],
    strategies.flatMap(({ name, uniqueness }) => {
      if (uniqueness === undefined) return [];
      const { ids, processes, duplicates, examples, seconds } = uniqueness;
      const which = examples.map(
        ({ id, first, again }) =>
          html`<div><code>${id}</code>: process ${first.process} #${first.index}, process ${again.process} #${again.index}</div>`,
      );
      return [
        [name, count(ids), String(processes), count(duplicates), `${seconds.toFixed(1)} s`, html`${which}`],
      ];
    }),
  );
}

function orderTable(strategies: readonly CaseResult[]): Markup {
  return table(
    'The highest order that held; a run can refute an order but not prove it',
    ['strategy', 'observed', 'calls', 'processes', 'what refutes more'],
    strategies.flatMap(({ name, order }) =>
      order
        ? [
            [
              name,
              observedText(order),
              count(order.calls),
              String(order.processes),
              order.counterExample ?? 'nothing in this run',
            ],
          ]
        : [],
    ),
  );
}
