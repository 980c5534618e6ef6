import type { Guarantees, SyncIdGenerator } from '@ids/core';
import { defineGuarantees, formatValue, memoryGenerator, type SchemaIssue } from '@ids/core/strategy';
import { exactNow } from './exact-clock.js';
import type { ObjectIdIssuer } from './issuer.js';
import { IDS_PER_SECOND, MAX_LEAD_SECONDS } from './limits.js';

/** Options of the strategy and of `createObjectIdGenerator`. */
export interface ObjectIdOptions {
  /**
   * What is between the time and the counter: five random bytes. The classic layout is in
   * `@ids/objectid/machine-pid`.
   */
  readonly layout?: 'random' | undefined;
  /**
   * What happens above 2^24 ids a second. With `borrow`, the default, the time in ids may run ahead of the
   * clock by up to 10 s; with `throw`, by up to 1 s. Beyond that, `ERR_IDS_EXHAUSTED`.
   */
  readonly overflow?: 'borrow' | 'throw' | undefined;
}

export const CHOICES = {
  layout: ['random'],
  overflow: ['borrow', 'throw'],
} as const;

/** The accepted values of each option; the first is the default. */
type Choices = Readonly<Record<string, readonly [string, ...string[]]>>;

/** The validated options, with defaults filled in. */
export type Chosen<C extends Choices> = { readonly [Name in keyof C]: C[Name][number] };

export type ParsedObjectIdOptions = Chosen<typeof CHOICES>;

/**
 * Validates the options named in `choices` and fills in the defaults. Returns the values and the issues, with
 * the hints added. `parseOptions` rejects inputs that are not objects.
 */
export function choose<const C extends Choices>(
  choices: C,
  input: unknown,
  hints: { readonly [Name in keyof C]?: string } = {},
): { readonly value: Chosen<C>; readonly issues: SchemaIssue[] } {
  const issues: SchemaIssue[] = [];
  const value: Record<string, unknown> = {};
  for (const [name, accepted] of Object.entries<readonly unknown[]>(choices)) {
    const { [name]: chosen = accepted[0] } = Object(input) as Readonly<Record<string, unknown>>;
    value[name] = chosen;
    if (accepted.includes(chosen)) continue;
    const expected = accepted.map(formatValue).join(' or ');
    issues.push({
      path: [name],
      message: `must be ${expected}, got ${formatValue(chosen)}${hints[name] ?? ''}`,
    });
  }
  return { value: value as Chosen<C>, issues };
}

/** The guarantees for these options; `more` overrides what a layout changes. */
export function objectIdGuarantees(
  { overflow }: Omit<ParsedObjectIdOptions, 'layout'>,
  more?: Partial<Guarantees>,
): Guarantees {
  // An id's time is truncated to the second, and may be ahead of the clock.
  const skewMs = (1 + MAX_LEAD_SECONDS[overflow]) * 1_000;
  return defineGuarantees({
    unique: 'cluster',
    order: { process: 'increasing', cluster: 'k-sorted', skewMs },
    gaps: 'on-restart',
    maxIdsLost: 0,
    sync: true,
    idType: 'string',
    text: {
      pattern: /^[0-9a-f]{24}$/,
      alphabet: '0123456789abcdef',
      minLength: 24,
      maxLength: 24,
      sortable: true,
      caseSensitive: false,
    },
    backends: [],
    discloses: ['time', 'volume'],
    maxIdsPerSecond: IDS_PER_SECOND,
    ...more,
  });
}

/** A generator that calls `issuer()` for each id, because the issuer may have been replaced. */
export function objectIdGenerator(
  { overflow }: Omit<ParsedObjectIdOptions, 'layout'>,
  guarantees: Guarantees,
  issuer: () => ObjectIdIssuer,
): SyncIdGenerator<string> {
  const maxLead = MAX_LEAD_SECONDS[overflow];
  return memoryGenerator({
    strategy: 'objectid',
    guarantees,
    issue: () => issuer().issue(maxLead, exactNow()),
    issueBatch: (count) => issuer().issueBatch(count, maxLead, Date.now),
  });
}
