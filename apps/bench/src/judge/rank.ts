// Also runs in the browser, with what it imports.
import { loadFit, type MeasuredLoad } from './load.js';

/** The comparison of two keys, place by place; a smaller value is better. */
export function compareKeys(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, place) => value !== b[place]);
  return at < 0 ? 0 : (a[at] as number) - (b[at] as number);
}

/** What ranks one strategy before another. */
export interface Ranked {
  /** Nothing went wrong with it in the run. */
  readonly sound: boolean;
  readonly unmet: readonly string[];
  readonly unproven: readonly string[];
  readonly obfuscate: boolean;
  readonly preference: readonly number[];
}

/**
 * The one ranking, of the recommendation and of the page: what failed in the run is last, then what does not
 * fit, then what could not be tested, then what must be obfuscated; otherwise by preference.
 */
export function rankKey({ sound, unmet, unproven, obfuscate, preference }: Ranked): readonly number[] {
  return [Number(!sound), unmet.length, Number(unproven.length > 0), Number(obfuscate), ...preference];
}

/** Whether it meets the needs: `maybe` if this run could not test that. */
export function fitWord({ unmet, unproven }: Pick<Ranked, 'unmet' | 'unproven'>): 'yes' | 'no' | 'maybe' {
  if (unmet.length > 0) return 'no';
  return unproven.length > 0 ? 'maybe' : 'yes';
}

export function notTested(claim: string): string {
  return `not tested here: ${claim}`;
}

/** One strategy, with a phrase for each need that it does not meet: enough to rank it for any needs. */
export interface Offer {
  readonly strategy: string;
  /** The most ids per second; absent if that was not measured. */
  readonly rate: number | undefined;
  /** What was measured at the rate that the run was asked for; absent if it was asked for none. */
  readonly atRate?: MeasuredLoad | undefined;
  /** What it does not meet of the needs of the run for which the form has no field. */
  readonly stated: readonly string[];
  readonly preference: readonly number[];
  /** Not met for any needs. */
  readonly always: readonly string[];
  /** If outsiders must learn nothing, it fits once its ids are obfuscated. */
  readonly obfuscate: boolean;
  /** By the value of a form field, such as `order=real-time`. */
  readonly unmet: Readonly<Record<string, readonly string[]>>;
  /** By the same: what it claims to meet it, and this run could not test. */
  readonly unproven: Readonly<Record<string, readonly string[]>>;
}

/** The needs that the form states. */
export interface ChosenNeeds {
  /** Values of fields, as in `Offer.unmet`. */
  readonly fields: readonly string[];
  /** Ids per second. */
  readonly rate?: number | undefined;
  /** How long 99 of 100 calls at that rate may take, in milliseconds. */
  readonly p99Ms?: number | undefined;
  /** Outsiders must learn nothing from an id. */
  readonly public: boolean;
}

export interface RankedOffer {
  readonly strategy: string;
  readonly fits: string;
  readonly missing: string;
}

/** Best first, in the same order as in the recommendation. */
export function rankOffers(offers: readonly Offer[], needs: ChosenNeeds): RankedOffer[] {
  return offers
    .map((offer) => {
      const load = loadFit(needs, offer.rate, offer.atRate);
      const byField = (phrases: Offer['unmet']) => needs.fields.flatMap((field) => phrases[field] ?? []);
      const unmet = [...offer.always, ...offer.stated, ...byField(offer.unmet), ...load.unmet];
      const unproven = [...byField(offer.unproven), ...load.unproven];
      const obfuscate = needs.public && offer.obfuscate;
      const { preference, always, strategy } = offer;
      const word = fitWord({ unmet, unproven });
      return {
        key: rankKey({ sound: always.length === 0, unmet, unproven, obfuscate, preference }),
        strategy,
        fits: word === 'yes' && obfuscate ? 'when obfuscated' : word,
        missing: [...unmet, ...unproven.map(notTested)].join('; '),
      };
    })
    .sort((a, b) => compareKeys(a.key, b.key));
}
