import { type GeneratorConfig, unmetNeeds, variableFor } from '@ids/config';
import { configOf } from '../cases/strategies.js';
import type { Advice, Fit, ServiceNeeds } from '../schema/advice.js';
import type { CaseResult } from '../schema/case.js';
import {
  asNeeded,
  fitOf,
  OBFUSCATED,
  obfuscatedGuarantees,
  PREFERRED,
  ranked,
  sustainedRate,
} from './fit.js';
import { headlineLoop, inUseOf, observedText, whatItCosts } from './headline.js';
import { needsText } from './needs.js';
import { fitWord, notTested } from './rank.js';
import { atRateText, count, nanoseconds, quantity } from './words.js';

/** What the figures of a run are worth. */
export interface Trust {
  /** Why this run is to recommend nothing. */
  readonly withheld?: string | undefined;
  /** Why its figures mean little. */
  readonly notComparable?: string | undefined;
}

/** Chooses among the strategies of a run. The first sentence is the headline. */
export function advise(
  needs: ServiceNeeds,
  cases: readonly CaseResult[],
  { withheld, notComparable }: Trust = {},
): Advice {
  const strategies = cases.filter(({ kind }) => kind === 'strategy');
  const fits = ranked(
    strategies.map((result) => fitOf(needs, result)),
    strategies,
  );
  if (withheld !== undefined) {
    return { needs, fits, withheld, sentences: [`No recommendation: ${withheld}.`] };
  }
  const [best, second] = fits;
  const chosen = strategies.find(({ name }) => name === best?.strategy);
  if (best === undefined || chosen === undefined) return { needs, fits, sentences: [] };
  const sure = notComparable === undefined;
  // What a busy machine measured of them proves nothing.
  const inUse = sure || needs.rate === undefined ? wouldDo(needs, cases) : [];
  if (best.unmet.length > 0) return { needs, fits, sentences: [...noneFits(best, needs, sure), ...inUse] };
  const doubt = doubtAbout(best, notComparable);
  if (doubt !== undefined) {
    const { why, what } = doubt;
    const sentences = [`No recommendation: ${why}.`, what, measuredFacts(chosen, needs), ...inUse];
    return { needs, fits, withheld: why, sentences: sentences.filter((sentence) => sentence !== '') };
  }
  const costs = whatItCosts(chosen);
  const variables = chosen.own ? [] : configVariables(chosen, needs);
  return {
    needs,
    fits,
    choice: chosen.name,
    sentences: [
      `Use ${chosen.name}${rateReached(chosen)}.`,
      `${whyItFits(best, chosen, fits, needs)}.`,
      measuredFacts(chosen, needs),
      notTestedHere(chosen),
      costs === '' ? '' : `What it costs: ${costs}.`,
      best.obfuscate ? howToObfuscate(chosen, needs) : '',
      ...inUse,
      second === undefined ? '' : runnerUp(second, best),
      uuidOrObjectId(chosen, fits),
      variables.length === 0 ? '' : `Its config reads ${variables.join(' and ')} from the environment.`,
    ].filter((sentence) => sentence !== ''),
    ...(!chosen.own && { config: configBlock(chosen, needs) }),
  };
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
    what: `${nearest}. ${capital(unproven.map(notTested).join('; '))}. A longer run (--full) may show more.`,
  };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** At the rate that is needed if it was asked for that, otherwise at most. */
function rateReached(chosen: CaseResult): string {
  const { atRate } = chosen;
  if (atRate !== undefined) {
    const reached = quantity(Math.min(atRate.rate, atRate.achieved));
    return `, which reached ${reached} ids/s in each of ${atRate.processes} processes`;
  }
  const most = sustainedRate(chosen);
  return most === undefined ? '' : `, which reached ${quantity(most)} ids/s in one process`;
}

function whyItFits(best: Fit, { guarantees }: CaseResult, fits: readonly Fit[], needs: ServiceNeeds): string {
  const fitting = fits.filter((fit) => fitWord({ unproven: [], ...fit }) === 'yes');
  if (fitting.length === 1) {
    const others = fits.some((fit) => fitWord({ unproven: [], ...fit }) === 'maybe');
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

function measuredFacts(result: CaseResult, needs: ServiceNeeds): string {
  const { uniqueness, order, sync, atRate } = result;
  const rate = sustainedRate(result);
  const loop = headlineLoop(result);
  const facts = [
    atRate && atRateText(atRate),
    rate !== undefined && `at most ${quantity(rate)} ids/s in one process${timesTheNeed(rate, needs)}`,
    sync === undefined && loop && `${nanoseconds(loop.p50)} per call (p50, 16 callers)`,
    uniqueness &&
      `${count(uniqueness.duplicates)} duplicates in ${count(uniqueness.ids)} ids of ${uniqueness.processes} processes`,
    order && `order across processes: ${observedText(order)}`,
  ].filter((fact) => typeof fact === 'string');
  return facts.length === 0 ? '' : `Measured here: ${facts.join('; ')}.`;
}

/** A claim that nothing in this run could refute is no finding. */
function notTestedHere({ order }: CaseResult): string {
  const untested = order?.untested ?? [];
  if (untested.length === 0) return '';
  return `Not tested here: it claims ${untested.join('; ')}. A longer run (--full) may show more.`;
}

function timesTheNeed(rate: number, needs: ServiceNeeds): string {
  return needs.rate === undefined ? '' : `, ${quantity(rate / needs.rate)} times what you need`;
}

function runnerUp({ strategy, unmet, unproven = [], obfuscate }: Fit, best: Fit): string {
  if (unmet.length > 0) return `Runner-up: ${strategy}, if you can do without this: ${unmet.join('; ')}.`;
  if (unproven.length > 0)
    return `Runner-up: ${strategy}, of which this was ${unproven.map(notTested).join('; ')}.`;
  if (obfuscate && !best.obfuscate) return `Runner-up: ${strategy}, which fits once its ids are obfuscated.`;
  return `Runner-up: ${strategy}, which fits too. ${best.strategy} ranks higher; what counts, in this order: ${PREFERRED}.`;
}

/** Both sort by time and need no server. Which column is to hold them decides, and no figure shows that. */
function uuidOrObjectId({ name }: CaseResult, fits: readonly Fit[]): string {
  const pair = ['uuid7', 'objectid'];
  const fitting = fits.filter(({ strategy, unmet }) => pair.includes(strategy) && unmet.length === 0);
  if (!pair.includes(name) || fitting.length < pair.length) return '';
  return 'Both uuid7 and objectid sort by time as strings. uuid7 is for everything that expects a UUID (RFC 9562), such as a native uuid column, 16 bytes. objectid is for MongoDB, and where size counts: 12 bytes, 24 characters instead of 36.';
}

/** What people already use is never the choice, but a service that has it may need nothing else. */
function wouldDo(needs: ServiceNeeds, cases: readonly CaseResult[]): string[] {
  const fitting = inUseOf(cases).filter((one) => {
    const fit = fitOf(needs, one);
    return fitWord({ unproven: [], ...fit }) === 'yes' && !fit.obfuscate;
  });
  const names = fitting.map(({ name, alternative }) => alternative?.name ?? name);
  if (names.length === 0) return [];
  return [`If you already use one of these, it would do as well, by its specification: ${names.join(', ')}.`];
}

/** Obfuscated ids are strings in no order: if more is needed, the column holds the ids themselves. */
function howToObfuscate(chosen: CaseResult, needs: ServiceNeeds): string {
  const how = configEncodes(chosen, needs)
    ? 'The config obfuscates its ids (encode: as crockford, obfuscate): they are then strings in no order, which only the key can decode.'
    : "Keep its ids as they are in the column, and show outsiders those of createCodec(guarantees, { as: 'crockford', obfuscate: true, key }) of @ids/encode.";
  return `${how} Without that, an outsider learns ${chosen.guarantees?.discloses.join(', ')}. The rates here are those of ids that are not obfuscated; to obfuscate an id takes longer than to issue it.`;
}

/** Only a rate can be missed because other programs were busy: guarantees are what they are. */
function noneFits({ strategy, unmet }: Fit, needs: ServiceNeeds, sure: boolean): string[] {
  return [
    `${sure || needs.rate === undefined ? 'No' : 'Probably no'} strategy meets every need.`,
    `Nearest: ${strategy}, except for this: ${unmet.join('; ')}.`,
    ...(needs.public
      ? [
          'If ids must reveal nothing and none of these can be obfuscated, use one of them internally, and show outsiders a separate crypto.randomUUID().',
        ]
      : []),
  ];
}

/**
 * `ids.config.json` for a service with these needs: `@ids/config` checks them again
 * whenever it opens the generator.
 */
export function configBlock(chosen: CaseResult, needs: ServiceNeeds): string {
  const { name = DEFAULT_NAME } = needs;
  return JSON.stringify({ generators: { [name]: generatorConfig(chosen, needs) } }, null, 2);
}

/** One generator of such a config. */
export function generatorConfig(chosen: CaseResult, needs: ServiceNeeds): GeneratorConfig {
  const { idType: as } = asNeeded(needs, chosen);
  const { name: _name, rate: _rate, p99Ms: _p99, public: hidden, ...others } = needs;
  const encode = configEncodes(chosen, needs);
  const hides = encode || (hidden && chosen.guarantees?.discloses.length === 0);
  const require = hides ? { ...others, discloses: [] } : others;
  const { strategy, ...options } = configOf(chosen.name);
  return {
    strategy: strategy as string,
    ...options,
    ...(as !== undefined && { as }),
    ...(encode && { encode: OBFUSCATED }),
    require,
  };
}

const DEFAULT_NAME = 'order';

/** Whether the config obfuscates ids: if outsiders see them, and obfuscated ids meet all other needs. */
export function configEncodes({ guarantees }: CaseResult, needs: ServiceNeeds): boolean {
  if (!needs.public || guarantees === undefined || guarantees.discloses.length === 0) return false;
  const encoded = obfuscatedGuarantees(guarantees);
  return encoded !== undefined && unmetNeeds(needs, encoded).length === 0;
}

/** The variables that a config for this strategy reads, `IDS_REDIS_URL` and the like. */
export function configVariables(chosen: CaseResult, needs: ServiceNeeds): string[] {
  const variables = { redis: 'IDS_REDIS_URL', sql: 'IDS_DATABASE_URL' };
  const backends = (chosen.guarantees?.backends ?? []).map((backend) => variables[backend]);
  const key = variableFor(needs.name ?? DEFAULT_NAME, 'KEY');
  return configEncodes(chosen, needs) ? [...backends, key] : backends;
}
