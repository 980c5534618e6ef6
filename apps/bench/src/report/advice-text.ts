import { needsText } from '../choose/service-needs.js';
import type { Advice } from '../result.js';
import { wrap } from './plain-text.js';

/** The recommendation for one set of needs, and the config to copy. */
export function adviceText({ needs, sentences, config }: Advice, bold: (text: string) => string): string {
  const wanted = needsText(needs) || 'nothing was said; see --help for --rate, --order, --type, --offline';
  const title = needs.name === undefined ? 'Recommendation' : `Recommendation for "${needs.name}"`;
  return [
    wrap(bold(title), [`Needs: ${wanted}.`, ...sentences]),
    config && `${bold('ids.config.json')}\n${config}`,
  ]
    .filter(Boolean)
    .join('\n\n');
}
