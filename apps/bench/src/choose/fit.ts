import { unmetNeeds } from '@ids/config';
import { quantity } from '../report/format.js';
import type { CaseResult, Fit, PlainGuarantees } from '../result.js';
import { obfuscatedGuarantees } from './obfuscated.js';
import type { ServiceNeeds } from './service-needs.js';

/** Looks at each need by itself, so the phrases of several needs together are those of each. */
export function fitOf(needs: ServiceNeeds, result: CaseResult): Fit {
  const { name, guarantees } = result;
  const unmet = guarantees === undefined ? [] : unmetNeeds(needs, guarantees);
  const obfuscate = needs.public === true && guarantees !== undefined && guarantees.discloses.length > 0;
  if (obfuscate && !hidesAll(guarantees)) {
    unmet.push(`public: tells ${guarantees.discloses.join(', ')}, and its ids cannot be obfuscated`);
  }
  if (needs.rate !== undefined) {
    const rate = sustainedRate(result);
    if (rate !== undefined && rate < needs.rate) {
      unmet.push(`rate: needs ${quantity(needs.rate)} ids/s, gave ${quantity(rate)}`);
    }
  }
  const trouble = troubles(result);
  return {
    strategy: name,
    unmet: [...unmet, ...trouble],
    sound: trouble.length === 0,
    ...(obfuscate && hidesAll(guarantees) && { obfuscate }),
  };
}

function hidesAll(guarantees: PlainGuarantees): boolean {
  return obfuscatedGuarantees(guarantees)?.discloses.length === 0;
}

/** What rules a strategy out whatever is needed. */
function troubles({ status, reason, uniqueness, order }: CaseResult): string[] {
  return [
    ...(status === 'ok' ? [] : [`${status}: ${reason}`]),
    ...(uniqueness !== undefined && uniqueness.duplicates > 0
      ? [`unique: gave ${uniqueness.duplicates} ids twice`]
      : []),
    ...((uniqueness?.retainedBytesPerId ?? 0) > 0 ? ['leaks memory'] : []),
    ...(order?.brokenClaims ?? []),
  ];
}

/**
 * Ids per second that one process kept up one by one, below the ceiling of the format; `undefined`
 * when it was not measured.
 */
export function sustainedRate({ sync, loops = [], maxIdsPerSecond }: CaseResult): number | undefined {
  const single = loops.filter(({ batch }) => batch === 1);
  const rates = [sync, ...single].flatMap((one) => one?.idsPerSecond.median ?? []);
  if (rates.length === 0) return undefined;
  return Math.min(Math.max(...rates), maxIdsPerSecond ?? Number.POSITIVE_INFINITY);
}
