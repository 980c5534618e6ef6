import type { Guarantees, SyncIdGenerator } from '@ids/core';
import { defineGuarantees, memoryGenerator, type SchemaIssue, shownValue, turnNow } from '@ids/core/strategy';
import { exactNow } from './exact-clock.js';
import type { ObjectIdIssuer } from './issuer.js';
import { IDS_PER_SECOND, MAX_LEAD_SECONDS } from './limits.js';

/** What a user writes. */
export interface ObjectIdOptions {
  /**
   * What is between time and counter: five random bytes. For the classic layout import
   * `@ids/objectid/machine-pid`.
   */
  readonly layout?: 'random' | undefined;
  /**
   * Past 2^24 ids a second `borrow`, the default, lets the time in ids run ahead of the clock by up to 10 s,
   * `throw` by up to 1 s; then `ERR_IDS_EXHAUSTED`.
   */
  readonly overflow?: 'borrow' | 'throw' | undefined;
  /**
   * `exact`, the default, asks for the time of each id. `turn` reads it for the first id after each `await`
   * or return to the event loop, and after 256 ids: an id may be dated at the start of the synchronous run of
   * code that it is asked for in.
   */
  readonly clock?: 'exact' | 'turn' | undefined;
}

export const CHOICES = {
  layout: ['random'],
  overflow: ['borrow', 'throw'],
  clock: ['exact', 'turn'],
} as const;

/** The options as validated, with their defaults. */
export interface ParsedObjectIdOptions {
  readonly layout: 'random';
  readonly overflow: 'borrow' | 'throw';
  readonly clock: 'exact' | 'turn';
}

/** For each option the values it may have; the first one is its default. */
type Choices = Readonly<Record<string, readonly [string, ...string[]]>>;

type Chosen<C extends Choices> = { readonly [Name in keyof C]: C[Name][number] };

/**
 * What a user wrote, as far as it is for `choices`, with the defaults; and what is wrong with it,
 * with the hints there are. `parseOptions` rejects what is no object.
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
    const expected = accepted.map(shownValue).join(' or ');
    issues.push({
      path: [name],
      message: `must be ${expected}, got ${shownValue(chosen)}${hints[name] ?? ''}`,
    });
  }
  return { value: value as Chosen<C>, issues };
}

/**
 * What ids with these options hold to, but for `more` that a layout changes; the
 * README says what it rests on.
 */
export function objectIdGuarantees(
  { overflow, clock }: Omit<ParsedObjectIdOptions, 'layout'>,
  more?: Partial<Guarantees>,
): Guarantees {
  // The second that an id's time is cut to, and the seconds it may lie ahead of the clock.
  const skewMs = (1 + MAX_LEAD_SECONDS[overflow]) * 1_000;
  return defineGuarantees({
    unique: 'cluster',
    order: {
      process: 'increasing',
      // Nothing bounds the length of a turn, and so how far a time read at its start lies behind.
      ...(clock === 'turn' ? { cluster: 'none' } : { cluster: 'k-sorted', skewMs }),
    },
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

/** A generator over `issuer()`, which is asked for each id, because it may have been renewed. */
export function objectIdGenerator(
  { overflow, clock }: Omit<ParsedObjectIdOptions, 'layout'>,
  guarantees: Guarantees,
  issuer: () => ObjectIdIssuer,
): SyncIdGenerator<string> {
  const maxLead = MAX_LEAD_SECONDS[overflow];
  return memoryGenerator({
    strategy: 'objectid',
    guarantees,
    // Two functions rather than one with a clock in it: engines inline a call whose target never changes.
    issue:
      clock === 'turn' ? () => issuer().issue(maxLead, turnNow()) : () => issuer().issue(maxLead, exactNow()),
    issueBatch: (count) => issuer().issueBatch(count, maxLead, Date.now),
  });
}
