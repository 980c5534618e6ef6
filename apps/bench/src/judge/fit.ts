import { unmetNeeds } from '@ids/config';
import { type Guarantees, isIdError } from '@ids/core';
import { createCodec } from '@ids/encode';
import type { Fit, ServiceNeeds } from '../schema/advice.js';
import type { CaseResult, PlainGuarantees } from '../schema/case.js';
import { loadFit } from './load.js';
import { count, durationText, nanoseconds } from './words.js';

/** Checks each need separately, so the phrases of several needs are those of each need. */
export function fitOf(needs: ServiceNeeds, result: CaseResult): Fit {
  const { name, guarantees } = result;
  const unmet =
    guarantees === undefined ? [] : unmetNeeds(needs, { ...guarantees, ...asNeeded(needs, result) });
  const obfuscate = needs.public === true && guarantees !== undefined && guarantees.discloses.length > 0;
  if (obfuscate && !hidesAll(guarantees)) {
    unmet.push(`public: reveals ${guarantees.discloses.join(', ')}, and its ids cannot be obfuscated`);
  }
  const load = loadFit(needs, result);
  unmet.push(...load.unmet);
  const trouble = troubles(result);
  const order = needs.order?.cluster === undefined ? [] : (result.order?.untested ?? []);
  const unproven = [...order, ...(load.unproven ?? [])];
  return {
    strategy: name,
    unmet: [...unmet, ...trouble],
    ...(unproven.length > 0 && { unproven }),
    sound: trouble.length === 0,
    ...(obfuscate && hidesAll(guarantees) && { obfuscate }),
  };
}

/** The type that the option `as` must choose for these needs; empty if the ids have it, or cannot. */
export function asNeeded(
  { type }: ServiceNeeds,
  { guarantees, idTypes = [] }: CaseResult,
): { readonly idType?: Guarantees['idType'] } {
  const chosen = idTypes.find((one) => one === type);
  return chosen === undefined || chosen === guarantees?.idType ? {} : { idType: chosen };
}

function hidesAll(guarantees: PlainGuarantees): boolean {
  return obfuscationOf(guarantees)?.guarantees.discloses.length === 0;
}

/** What rules a strategy out for any needs. */
function troubles(result: CaseResult): string[] {
  const { status, reason, uniqueness, order } = result;
  return [
    ...(status === 'ok' ? [] : [`${status}: ${reason}`]),
    ...(uniqueness !== undefined && uniqueness.duplicates > 0
      ? [`unique: issued ${uniqueness.duplicates} ids twice`]
      : []),
    ...((uniqueness?.retainedBytesPerId ?? 0) > 0 ? ['leaks memory'] : []),
    ...slowerText(result),
    ...(order?.brokenClaims ?? []),
  ];
}

/** How ids are hidden: numbers, and UUIDs of version 7. In a config, the key comes from the environment. */
const WAYS = [{ as: 'crockford', obfuscate: true }, { obfuscate: true }] as const;

/** Which ids can be obfuscated does not depend on the key. */
const ANY_KEY = '0'.repeat(32);

/** The `encode` option that hides ids, and what they guarantee then. */
export interface Obfuscation {
  readonly encode: (typeof WAYS)[number];
  readonly guarantees: Guarantees;
}

/** `undefined` for ids that cannot be obfuscated. */
export function obfuscationOf({ text, ...rest }: PlainGuarantees): Obfuscation | undefined {
  const guarantees = { ...rest, text: { ...text, pattern: new RegExp(text.pattern) } };
  for (const encode of WAYS) {
    try {
      return { encode, guarantees: createCodec(guarantees, { key: ANY_KEY, ...encode }).guarantees };
    } catch (error) {
      if (!isIdError(error) || error.code !== 'ERR_IDS_CONFIG') throw error;
    }
  }
  return undefined;
}

/** Of honest strategies, the best of many rounds differs by much less, even on a busy machine. */
const SLOWER = 3;

/**
 * How slow a process got that is older and has issued more ids than those of the trials: the figures of the
 * run are then not those of a service. Empty if it is about as fast as they are. The first ids may have been
 * slow because the generator also filled a store: then the trials show the difference, since their warm-up is
 * left out.
 */
export function slowerText({ slowdown, sync }: CaseResult): string[] {
  if (slowdown === undefined) return [];
  const { first, later, afterMs, taken } = slowdown;
  const ways = [
    ['nextSync', Math.min(first.sync ?? Infinity, sync?.ns.median ?? Infinity), later.sync],
    ['next', first.waiting ?? Infinity, later.waiting],
  ] as const;
  return ways.flatMap(([way, before, after = 0]) =>
    after < SLOWER * before
      ? []
      : `slows down: ${way} took ${nanoseconds(before)} per id, and ${nanoseconds(after)} after ` +
        `${durationText(afterMs / 1_000)} and ${count(taken)} ids`,
  );
}
