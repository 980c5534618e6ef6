import type { RunResult } from '../result.js';
import { adviceSection } from './advice-section.js';
import { anatomySection } from './anatomy-section.js';
import { html, type Markup } from './escape.js';
import { fitNotes } from './fit-notes.js';
import { latencySection } from './latency-section.js';
import { methodText } from './method-text.js';
import { orderSection } from './order-section.js';
import { decisionTable } from './tables.js';
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
