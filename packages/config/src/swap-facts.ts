import { createHash } from 'node:crypto';
import { type Guarantees, isDecimal } from '@ids/core';
import type { EncodeOptions } from '@ids/encode';

/** One of the two generators between which a service swaps. */
export interface SwapSide {
  readonly guarantees: Guarantees;
  /**
   * What names the sequence it takes ids from, such as database, table and row;
   * undefined where there is none.
   */
  readonly sequence?: string | undefined;
  /** The last id reserved in that sequence by anybody, when it could be asked. */
  readonly reserved?: bigint | undefined;
  /** The greatest id that its grant log or Redis remembers: a table that lost reservations stands below. */
  readonly known?: bigint | undefined;
  /** The most ids that its sequence may skip at once by itself, after a failover or a restore. */
  readonly leap?: bigint | undefined;
  /** Whether its table may have lost reservations: the next one skips ids, or is refused. */
  readonly pending?: boolean | undefined;
  /** The key of the hash in Redis from which it issues ids. */
  readonly hash?: string | undefined;
  /**
   * For ids that contain the time of their issue: all that are issued from now on are above this one. Only
   * the clock raises it.
   */
  readonly clockAt?: bigint | undefined;
  /** The same in a month. */
  readonly clockInAMonth?: bigint | undefined;
  /** For snowflakes of a fixed worker, which no table knows: `reserved` is an estimate for this moment. */
  readonly worker?: FixedWorker | undefined;
  /**
   * How the number of an id becomes its text, if that is more than its digits: sides with the same one here
   * write the same number in the same way. `check`: a check digit is appended. Anything else names a key and
   * what it is used with.
   */
  readonly spelling?: string | undefined;
  /** What has to be made before it can give ids, such as `table id_segment`; undefined when all is there. */
  readonly missing?: string | undefined;
}

/** A part of the snowflakes of one layout and epoch. */
interface FixedWorker {
  readonly number: number;
  /** The layout and the epoch as a text: those of two workers with an equal one never give the same id. */
  readonly layout: string;
  /** How far its ids may be ahead of the clock, in milliseconds. */
  readonly aheadMs: number;
}

/** The column that holds the ids given so far, as the database describes it. */
export interface ColumnFacts {
  /** `orders.id` */
  readonly name: string;
  /** The SQL type, such as `bigint`, `integer`, `text`, `character varying`. */
  readonly type: string;
  /** The most characters it holds, or digits before the point; undefined if only its type limits it. */
  readonly maxLength?: number | undefined;
  /** Whether it takes `a` and `A` for the same. */
  readonly ignoresCase: boolean;
  /** The greatest number in it; undefined when it is empty, or holds no numbers. */
  readonly maxId?: bigint | undefined;
}

export interface SwapFinding {
  /**
   * What it is about: `type`, `width`, `order`, `unique`, `case`, `sync`, `backends`, `discloses`, `gaps`,
   * `overlap`, `sequence`, `column`, `collation`.
   */
  readonly about: string;
  /**
   * `same`: nothing to do. `change`: look at the code that depends on it. `danger`: ids may repeat or be
   * refused, or a promise is lost.
   */
  readonly verdict: 'same' | 'change' | 'danger';
  readonly from: string;
  readonly to: string;
  /** What to do, or what follows. */
  readonly advice?: string;
}

export interface SwapPlan {
  readonly findings: readonly SwapFinding[];
  /**
   * The id above which the new sequence must start (`setFloor`, or `startAfter` of `createSequence`);
   * undefined where none is needed, and as long as old processes must be stopped to know it.
   */
  readonly floor: bigint | undefined;
  /** What to do, in this order; empty if there is no safe way. */
  readonly steps: readonly SwapStep[];
}

/** Under which circumstances a plan is made. */
export interface SwapOptions {
  /** Whether all processes of the old generator have been stopped; false by default. */
  readonly stopped?: boolean | undefined;
  /** Whether ids must rise across the swap, so that the old processes are stopped first. */
  readonly inOrder?: boolean | undefined;
  /** How many ids old processes may still reserve while the new ones run; 10^9 by default. */
  readonly room?: bigint | undefined;
}

/**
 * One step of a plan. `stop`: stop all processes of the old generator. `again`: then plan again, with
 * `stopped`. `create`: create what is missing. `raise`: raise the new sequence to the floor. `forget`: delete
 * the hash in Redis, whose ids lie below. `wait`: wait for `ms` milliseconds. `deploy`: start the processes
 * of the new generator, `beside` those of the old one or not. `check`: find out whether the old sequence
 * stayed below the floor. `back`: how to go back; `as-before`: start the old processes again; `by-plan`: only
 * by the plan of the opposite swap.
 */
export type SwapStep =
  | { readonly do: 'stop' | 'again' }
  | { readonly do: 'create'; readonly what: string }
  | { readonly do: 'raise' | 'check'; readonly floor: bigint }
  | { readonly do: 'forget'; readonly key: string }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'deploy'; readonly beside: boolean }
  | { readonly do: 'back'; readonly how: 'as-before' | 'by-plan' };

/**
 * The greatest number that ids with as many digits can be. Strategies end at 2^53 - 1 or 2^63 - 1; a check
 * digit or a width can make strings longer than that.
 */
export function greatestOf({ idType, text: { maxLength } }: Guarantees): bigint {
  if (maxLength <= String(Number.MAX_SAFE_INTEGER).length) return BigInt(Number.MAX_SAFE_INTEGER);
  const last = 2n ** 63n - 1n;
  return idType === 'string' && maxLength > String(last).length ? 10n ** BigInt(maxLength) - 1n : last;
}

/** How many different numbers such ids can surely have: of narrow strings, fewer than `greatestOf` says. */
export function leastNumbers(guarantees: Guarantees): bigint {
  const { prefix = '', alphabet, maxLength } = guarantees.text;
  const greatest = greatestOf(guarantees);
  if (alphabet === undefined || guarantees.idType !== 'string') return greatest;
  // One character may be a check digit.
  const most = BigInt(alphabet.length) ** BigInt(Math.max(0, maxLength - prefix.length - 1));
  return most < greatest ? most : greatest;
}

/** Numbers, or strings of decimal digits, from a sequence. */
export function isNumeric({ idType, text }: Guarantees): boolean {
  return idType !== 'string' || isDecimal(text);
}

/** The spelling of ids that end with a check digit and are not obfuscated. */
export const CHECK_DIGIT = 'check';

/**
 * How `encode` writes the number of an id, if that is more than its digits in some alphabet: equal for two
 * generators if they write each number alike. Does not reveal the key. `text` describes the encoded ids.
 */
export function spellingOf(
  { as, prefix, check = false, obfuscate = false, key = '' }: EncodeOptions,
  { maxLength }: Guarantees['text'],
): string | undefined {
  if (!obfuscate) return check ? CHECK_DIGIT : undefined;
  // The digits that are scattered depend on the key, on the alphabet and the width, and on the prefix.
  const facts = JSON.stringify([key.toLowerCase(), as, maxLength, prefix, check]);
  return `key ${createHash('sha256').update(facts).digest('hex').slice(0, 16)}`;
}
