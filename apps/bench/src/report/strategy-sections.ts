import type { CaseResult, RunResult } from '../result.js';
import { adviceSection } from './advice-section.js';
import { html, type Markup } from './escape.js';
import { fitNotes } from './fit-notes.js';
import { count } from './format.js';
import { observedText } from './headline.js';
import { latencySection } from './latency-section.js';
import { methodText } from './method-text.js';
import { decisionTable, table } from './tables.js';
import { throughput } from './throughput-section.js';
import { whatItCosts } from './what-it-costs.js';

/** What to choose, and what each strategy did. */
export function strategySections(result: RunResult): Markup {
  const strategies = result.cases.filter(({ kind }) => kind === 'strategy');
  return html`${adviceSection(result)}
<h2>Decision table</h2>
${decisionTable(strategies, fitNotes(result.advice))}
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
