import type { Advice, Fit, ServiceNeeds } from '../schema/advice.js';
import type { CaseResult } from '../schema/case.js';
import { configEncodes, configVariables } from './config.js';
import { fitOf, obfuscationOf, slowerText } from './fit.js';
import { bestRate, nextRate } from './load.js';
import { needsText } from './needs.js';
import { fitWord, notTested, PREFERRED, ranked } from './rank.js';
import { unseenText } from './unseen.js';
import { quantity } from './words.js';

/**
 * Chooses among the strategies of a run. The first sentence is the headline. `withheld`: why this run is to
 * recommend nothing. `notComparable`: why its figures mean little.
 */
export function advise(
  needs: ServiceNeeds,
  cases: readonly CaseResult[],
  { withheld, notComparable }: Partial<Record<'withheld' | 'notComparable', string | undefined>> = {},
): Advice {
  const strategies = cases.filter(({ kind }) => kind === 'strategy');
  const fits = ranked(
    strategies.map((result) => fitOf(needs, result)),
    strategies,
  );
  const said = (...sentences: string[]) => ({
    needs,
    fits,
    sentences: sentences.filter((one) => one !== ''),
  });
  if (withheld !== undefined) return { ...said(`No recommendation: ${withheld}.`), withheld };
  const [best, second] = fits;
  const found = strategies.find(({ name }) => name === best?.strategy);
  const chosen = found && atNeededRate(found, needs);
  if (best === undefined || chosen === undefined) return said();
  const sure = notComparable === undefined;
  if (best.unmet.length > 0) {
    const timed = needs.rate !== undefined || strategies.some((one) => slowerText(one).length > 0);
    return said(...noneFits(best, needs, sure || !timed));
  }
  const doubt = doubtAbout(best, notComparable);
  if (doubt !== undefined) {
    return { ...said(`No recommendation: ${doubt.why}.`, doubt.what), withheld: doubt.why };
  }
  const variables = chosen.own ? [] : configVariables(chosen, needs);
  const sentences = said(
    `Use ${chosen.name}${rateReached(chosen, needs)}.`,
    `${whyItFits(best, chosen, fits, needs)}.`,
    headroom(chosen, needs),
    notTestedHere(chosen),
    unseenText(chosen),
    best.obfuscate ? howToObfuscate(chosen, needs) : '',
    second === undefined ? '' : runnerUp(second, best),
    variables.length === 0 ? '' : `Its config reads ${variables.join(' and ')} from the environment.`,
  );
  return { ...sentences, choice: chosen.name };
}

/** Without the figures at another rate, which an earlier run has that `report` ranks again. */
function atNeededRate({ atRate, ...others }: CaseResult, { rate }: ServiceNeeds): CaseResult {
  return atRate === undefined || (rate ?? atRate.rate) !== atRate.rate ? others : { atRate, ...others };
}

/** Why the best is not recommended, although nothing speaks against it. */
function doubtAbout(
  { strategy, unproven = [] }: Fit,
  notComparable: string | undefined,
): { readonly why: string; readonly what: string } | undefined {
  const nearest = `First in the ranking: ${strategy}`;
  if (notComparable !== undefined) {
    return {
      why: `other programs were busy on this machine (${notComparable})`,
      what: `${nearest}, but rates and times mean little. Run it again while nothing else runs.`,
    };
  }
  if (unproven.length === 0) return undefined;
  return {
    why: 'this run did not prove that any strategy meets every need',
    what: `${nearest}. Not tested here: ${unproven.join('; ')}. A longer run (--full) may show more.`,
  };
}

/** At the rate that is needed if that was measured, otherwise at most: with `next()` if a rate is needed. */
function rateReached(chosen: CaseResult, needs: ServiceNeeds): string {
  const { atRate } = chosen;
  if (atRate !== undefined) {
    const reached = quantity(Math.min(atRate.rate, atRate.achieved));
    return `, which reached ${reached} ids/s in each of ${atRate.processes} processes`;
  }
  const most = needs.rate === undefined ? bestRate(chosen)?.idsPerSecond : nextRate(chosen);
  return most === undefined ? '' : `, which reached ${quantity(most)} ids/s in one process`;
}

function headroom(chosen: CaseResult, { rate }: ServiceNeeds): string {
  const most = nextRate(chosen);
  if (most === undefined || rate === undefined) return '';
  return `At most, one process got ${quantity(most / rate)} times what you need.`;
}

function whyItFits(best: Fit, { guarantees }: CaseResult, fits: readonly Fit[], needs: ServiceNeeds): string {
  const fitting = fits.filter((fit) => fitWord(fit) === 'yes');
  if (fitting.length === 1) {
    const others = fits.some((fit) => fitWord(fit) === 'maybe');
    const meets = others ? 'was shown to meet every need' : 'meets every need';
    const what = needsText(needs) === '' ? 'is sound' : meets;
    return `It is the only one of ${fits.length} that ${what}`;
  }
  // Those that must be obfuscated rank behind, even if they need fewer servers.
  const peers = fitting.filter(({ obfuscate }) => obfuscate === best.obfuscate);
  const plain = peers.length === fitting.length ? '' : ', its ids need not be obfuscated; among those';
  if (peers.length === 1) return `Of the ${fitting.length} that fit, only its ids need not be obfuscated`;
  const servers = guarantees?.backends.length === 0 ? 'it needs no server' : 'it needs the fewest servers';
  const waits = guarantees?.sync ? ', issues without waiting' : '';
  return `Of the ${fitting.length} that fit${plain}, ${servers}${waits} and has the strongest order among those`;
}

/** A claim that nothing in this run could refute is no finding. */
function notTestedHere({ order }: CaseResult): string {
  const untested = order?.untested ?? [];
  if (untested.length === 0) return '';
  return `Not tested here: it claims ${untested.join('; ')}. A longer run (--full) may show more.`;
}

function runnerUp({ strategy, unmet, unproven = [], obfuscate }: Fit, best: Fit): string {
  if (unmet.length > 0) return `Runner-up: ${strategy}, if you can do without this: ${unmet.join('; ')}.`;
  if (unproven.length > 0)
    return `Runner-up: ${strategy}, of which this was ${unproven.map(notTested).join('; ')}.`;
  if (obfuscate && !best.obfuscate) return `Runner-up: ${strategy}, which fits once its ids are obfuscated.`;
  return `Runner-up: ${strategy}, which fits too. ${best.strategy} ranks higher; what counts, in this order: ${PREFERRED}.`;
}

/** Obfuscated ids are strings in no order: if more is needed, the column holds the ids themselves. */
function howToObfuscate(chosen: CaseResult, needs: ServiceNeeds): string {
  const encode = chosen.guarantees && obfuscationOf(chosen.guarantees)?.encode;
  const digits = encode !== undefined && 'as' in encode;
  const how =
    configEncodes(chosen, needs) === undefined
      ? `Keep its ids as they are in the column, and show outsiders those of createCodec(guarantees, { ${digits ? "as: 'crockford', " : ''}obfuscate: true, key }) of @ids/encode.`
      : `The config obfuscates its ids (encode: ${digits ? 'as crockford, ' : ''}obfuscate): they are then strings in no order, which only the key can decode.`;
  return `${how} Without that, an outsider learns ${chosen.guarantees?.discloses.join(', ')}. The rates here are those of ids that are not obfuscated; to obfuscate an id takes longer than to issue it.`;
}

/** `sure`: no rate or pace, which other programs disturb, decided. Guarantees are what they are. */
function noneFits({ strategy, unmet }: Fit, needs: ServiceNeeds, sure: boolean): string[] {
  return [
    `${sure ? 'No' : 'Probably no'} strategy meets every need.`,
    `Nearest: ${strategy}, except for this: ${unmet.join('; ')}.`,
    ...(needs.public
      ? [
          'If ids must reveal nothing and none of these can be obfuscated, use one of them internally, and show outsiders a separate crypto.randomUUID().',
        ]
      : []),
  ];
}
