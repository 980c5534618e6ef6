import { needsText } from '../choose/service-needs.js';
import type { Advice, RunResult } from '../result.js';
import { chooser } from './chooser.js';
import { html, type Markup } from './escape.js';
import { table } from './tables.js';

/** What to use: for the needs of this run, and for any others. */
export function adviceSection({ advice, cases }: RunResult): Markup {
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
