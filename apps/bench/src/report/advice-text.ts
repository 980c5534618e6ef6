import type { Advice } from '../choose/advise.js';
import { needsText } from '../choose/service-needs.js';
import { wrap } from './plain-text.js';

/** The recommendation for one set of needs, who fits and why not, and the config to copy. */
export function adviceText(
  { needs, fits, sentences, config }: Advice,
  bold: (text: string) => string,
): string {
  const wanted = needsText(needs) || 'nothing was said; see --help for --rate, --order, --type, --offline';
  const title = needs.name === undefined ? 'Needs' : `Needs of "${needs.name}"`;
  return [
    wrap(bold(title), [wanted]),
    wrap(
      bold('Fits'),
      fits.map(({ strategy, unmet }) => `${strategy}: ${unmet.length === 0 ? 'yes' : unmet.join('; ')}`),
    ),
    wrap(bold('Recommendation'), sentences),
    config && `${bold('ids.config.json')}\n${config}`,
  ]
    .filter(Boolean)
    .join('\n\n');
}
