import { count, nanoseconds, quantity } from '../report/format.js';
import { headlineLoop, observedText } from '../report/headline.js';
import { whatItCosts } from '../report/what-it-costs.js';
import type { Advice, CaseResult, Fit } from '../result.js';
import { configBlock, configEncodes, configVariables } from './config-block.js';
import { fitOf, sustainedRate } from './fit.js';
import { ranked } from './rank.js';
import { needsText, type ServiceNeeds } from './service-needs.js';

/** Chooses among the strategies of a run. */
export function advise(needs: ServiceNeeds, cases: readonly CaseResult[]): Advice {
  const strategies = cases.filter(({ kind }) => kind === 'strategy');
  const fits = ranked(
    strategies.map((result) => fitOf(needs, result)),
    strategies,
  );
  const [best, second] = fits;
  const chosen = strategies.find(({ name }) => name === best?.strategy);
  if (best === undefined || chosen === undefined) return { needs, fits, sentences: [] };
  if (best.unmet.length > 0) return { needs, fits, sentences: [noneFits(best, needs)] };
  const variables = configVariables(chosen, needs);
  return {
    needs,
    fits,
    choice: chosen.name,
    sentences: [
      `Use ${chosen.name}: ${whyItFits(chosen, fits, needs)}.`,
      measuredFacts(chosen, needs),
      `You give up: ${whatItCosts(chosen).replace(/^[^:]*: /, '')}`,
      best.obfuscate ? howToObfuscate(chosen, needs) : '',
      second === undefined ? '' : runnerUp(second, chosen),
      variables.length === 0 ? '' : `Its config reads ${variables.join(' and ')} from the environment.`,
    ].filter((sentence) => sentence !== ''),
    config: configBlock(chosen, needs),
  };
}

function whyItFits({ guarantees }: CaseResult, fits: readonly Fit[], needs: ServiceNeeds): string {
  const fitting = fits.filter(({ unmet }) => unmet.length === 0);
  const what = needsText(needs) === '' ? 'is sound' : 'meets every need';
  const reason = guarantees?.backends.length === 0 ? 'it needs no server' : 'it needs the fewest servers';
  if (fitting.length === 1) return `the only one of ${fits.length} that ${what}`;
  return `of the ${fitting.length} that fit, ${reason} and has the strongest order among those`;
}

function measuredFacts(result: CaseResult, needs: ServiceNeeds): string {
  const { uniqueness, order, sync } = result;
  const rate = sustainedRate(result);
  const loop = headlineLoop(result);
  const facts = [
    rate !== undefined && `${quantity(rate)} ids/s in one process${timesTheNeed(rate, needs)}`,
    sync === undefined && loop && `${nanoseconds(loop.p50)} per call (p50, 16 callers)`,
    uniqueness &&
      `${count(uniqueness.duplicates)} duplicates in ${count(uniqueness.ids)} ids of ${uniqueness.processes} processes`,
    order && `order ${observedText(order)}`,
  ].filter((fact) => typeof fact === 'string');
  return facts.length === 0 ? '' : `Measured here: ${facts.join('; ')}.`;
}

function timesTheNeed(rate: number, needs: ServiceNeeds): string {
  return needs.rate === undefined ? '' : `, ${quantity(rate / needs.rate)} times what you need`;
}

function runnerUp({ strategy, unmet }: Fit, chosen: CaseResult): string {
  if (unmet.length > 0) return `Runner-up: ${strategy}, if you can do without this: ${unmet.join('; ')}.`;
  return `Runner-up: ${strategy}, which fits too; ${chosen.name} goes before it for fewer servers, stronger order or speed, in this sequence.`;
}

/** Obfuscated ids are texts in no order: where more is needed, the column keeps the ids as they are. */
function howToObfuscate(chosen: CaseResult, needs: ServiceNeeds): string {
  const how = configEncodes(chosen, needs)
    ? 'The config obfuscates its ids (encode: as crockford, obfuscate): they are texts in no order then, and can be decoded with the key only.'
    : "Keep its ids as they are in the column, and show strangers those of createCodec(guarantees, { as: 'crockford', obfuscate: true, key }) of @ids/encode.";
  return `${how} Without that, a stranger learns ${chosen.guarantees?.discloses.join(', ')}. The rates here are of ids that are not obfuscated, which costs more than making them.`;
}

function noneFits({ strategy, unmet }: Fit, needs: ServiceNeeds): string {
  const nearest = `No strategy meets every need. Nearest: ${strategy}, but for ${unmet.join('; ')}.`;
  if (!needs.public) return nearest;
  return `${nearest} Where ids must tell nothing and none of these can be obfuscated, keep one of them inside, and show strangers a crypto.randomUUID() beside it.`;
}
