// Also runs in the browser: imports nothing at run time.

/** The comparison of two keys, place by place; a smaller value is better. */
export function compareKeys(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, place) => value !== b[place]);
  return at < 0 ? 0 : (a[at] as number) - (b[at] as number);
}

/** `yes`, `no`, or `when obfuscated`. */
function fitWord(unmet: readonly string[], obfuscate: boolean | undefined): string {
  if (unmet.length > 0) return 'no';
  return obfuscate ? 'when obfuscated' : 'yes';
}

export function notTested(claim: string): string {
  return `not tested here: ${claim}`;
}

/** One strategy, with a phrase for each need that it does not meet: enough to rank it for any needs. */
export interface Offer {
  readonly strategy: string;
  /** The most ids per second; absent if that was not measured. */
  readonly rate: number | undefined;
  /** What was found at the rate that the run was asked for; absent if it was asked for none. */
  readonly atRate?: {
    readonly rate: number;
    readonly unmet: readonly string[];
    readonly unproven: readonly string[];
  };
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
  /** Ids per second; 0 if it does not matter. */
  readonly rate: number;
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
      const unmet = unmetBy(offer, needs);
      const obfuscate = needs.public && offer.obfuscate;
      const load = offer.atRate?.rate === needs.rate ? offer.atRate.unproven : [];
      const unproven = [...needs.fields.flatMap((field) => offer.unproven[field] ?? []), ...load];
      const places = [offer.always.length > 0, unmet.length, unproven.length > 0, obfuscate];
      const missing = [...unmet, ...unproven.map(notTested)].join('; ');
      return {
        key: [...places.map(Number), ...offer.preference],
        strategy: offer.strategy,
        fits: fitWord(unmet, obfuscate),
        missing,
      };
    })
    .sort((a, b) => compareKeys(a.key, b.key));
}

function unmetBy(offer: Offer, { fields, rate }: ChosenNeeds): string[] {
  const unmet = [...offer.always, ...offer.stated, ...fields.flatMap((field) => offer.unmet[field] ?? [])];
  if (offer.atRate?.rate === rate) unmet.push(...offer.atRate.unmet);
  else if (rate > 0 && offer.rate !== undefined && offer.rate < rate) {
    const [needed, gave] = [rate, Math.round(offer.rate)].map((value) => value.toLocaleString('en'));
    unmet.push(`rate: needs ${needed} ids/s, measured ${gave}`);
  }
  return unmet;
}
