import { type Guarantees, isDecimal } from '@ids/core';
import type { EncodeOptions } from '@ids/encode';

/** One of the two generators of a swap. */
export interface SwapSide {
  readonly guarantees: Guarantees;
  /**
   * Identifies the sequence from which it issues ids, for example by database, table and row; undefined if
   * there is none.
   */
  readonly sequence?: string | undefined;
  /** The last id reserved in that sequence by any process, if it could be queried. */
  readonly reserved?: bigint | undefined;
  /** The greatest id in its grant log or in Redis. Higher than `reserved` if the table lost reservations. */
  readonly known?: bigint | undefined;
  /** The most ids that its sequence may skip automatically after a failover or a restore. */
  readonly leap?: bigint | undefined;
  /** Whether its table may have lost reservations, so that the next one skips ids or is rejected. */
  readonly pending?: boolean | undefined;
  /** The key of the Redis hash from which it issues ids. */
  readonly hash?: string | undefined;
  /**
   * For ids that contain the time of issue: all ids issued from now on are above this one, which only the
   * clock raises.
   */
  readonly clockAt?: bigint | undefined;
  /** The value of `clockAt` a month from now. */
  readonly clockInAMonth?: bigint | undefined;
  /**
   * For snowflakes with a fixed worker, which is in no table: `reserved` is then an estimate for the present
   * moment.
   */
  readonly worker?: FixedWorker | undefined;
  /** How the number of an id is written; undefined if by its digits alone. */
  readonly encode?: EncodeOptions | undefined;
  /**
   * What must be created before it can issue ids, such as `table id_segment`; undefined if nothing is
   * missing.
   */
  readonly missing?: string | undefined;
}

/** A fixed worker of a snowflake layout and epoch. */
interface FixedWorker {
  readonly number: number;
  /**
   * The layout and epoch as a string. Two workers with the same layout and different numbers never issue the
   * same id.
   */
  readonly layout: string;
  /** How far its ids may be ahead of the clock, in milliseconds. */
  readonly aheadMs: number;
}

/** The column of the existing ids, as described by the database. */
export interface ColumnFacts {
  /** `orders.id` */
  readonly name: string;
  /** The SQL type, such as `bigint`, `integer`, `text`, `character varying`. */
  readonly type: string;
  /**
   * The most characters it holds, or digits before the decimal point; undefined if only the type limits it.
   */
  readonly maxLength?: number | undefined;
  /** Whether `a` and `A` are equal in it. */
  readonly ignoresCase: boolean;
  /** The greatest number in it; undefined if it is empty or does not hold numbers. */
  readonly maxId?: bigint | undefined;
}

export interface SwapFinding {
  /**
   * The subject, such as `type`, `width`, `unique`, `gaps`, `overlap`, `sequence`, `column` or `collation`.
   */
  readonly about: string;
  /**
   * `same`: nothing to do. `change`: check the code that depends on it. `danger`: ids may repeat or be
   * rejected, or a guarantee is lost.
   */
  readonly verdict: 'same' | 'change' | 'danger';
  readonly from: string;
  readonly to: string;
  /** What to do, or the consequence. */
  readonly advice?: string;
}

export interface SwapPlan {
  readonly findings: readonly SwapFinding[];
  /**
   * The id above which the new sequence must start (`setFloor`, or `startAfter` of `createSequence`);
   * undefined if there is no such id, or if the old processes must be stopped before it can be known.
   */
  readonly floor: bigint | undefined;
  /** The steps, in order; empty if there is no safe way. */
  readonly steps: readonly SwapStep[];
}

/** The circumstances of a swap. */
export interface SwapOptions {
  /** Whether all processes of the old generator have been stopped; false by default. */
  readonly stopped?: boolean | undefined;
  /** Whether ids must stay in order across the swap, so that the old processes are stopped first. */
  readonly inOrder?: boolean | undefined;
  /** The number of ids that old processes may still reserve while the new ones run; 10^9 by default. */
  readonly room?: bigint | undefined;
  /** The column of the new ids, if it is not that of the old ones. */
  readonly newColumn?: ColumnFacts | undefined;
}

/**
 * One step of a plan:
 * - `stop`: stop all processes of the old generator.
 * - `again`: then make a new plan, with `stopped`.
 * - `create`: create what is missing.
 * - `raise`: raise the new sequence to the floor.
 * - `forget`: delete the hash in Redis, whose ids are below the floor.
 * - `wait`: wait for `ms` milliseconds.
 * - `column`: change the column, which does not take the new ids as it is.
 * - `deploy`: start the processes of the new generator, `beside` those of the old one or not.
 * - `check`: check that the old sequence stayed below the floor.
 * - `back`: how to go back. `as-before`: start the old processes again. `by-plan`: only by a plan for the
 *   opposite swap.
 */
export type SwapStep =
  | { readonly do: 'stop' | 'again' }
  | { readonly do: 'create' | 'column'; readonly what: string }
  | { readonly do: 'raise' | 'check'; readonly floor: bigint }
  | { readonly do: 'forget'; readonly key: string }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'deploy'; readonly beside: boolean }
  | { readonly do: 'back'; readonly how: 'as-before' | 'by-plan' };

/**
 * The greatest number that an id of this length can be. Strategies end at 2^53 - 1 or 2^63 - 1; a check digit
 * or a width can make strings longer.
 */
export function greatestOf({ idType, text: { maxLength } }: Guarantees): bigint {
  if (maxLength <= String(Number.MAX_SAFE_INTEGER).length) return BigInt(Number.MAX_SAFE_INTEGER);
  const last = 2n ** 63n - 1n;
  return idType === 'string' && maxLength > String(last).length ? 10n ** BigInt(maxLength) - 1n : last;
}

/** A lower bound for the number of different ids; for narrow strings, less than `greatestOf`. */
export function leastNumbers(guarantees: Guarantees): bigint {
  const { prefix = '', alphabet, maxLength } = guarantees.text;
  const greatest = greatestOf(guarantees);
  if (alphabet === undefined || guarantees.idType !== 'string') return greatest;
  // One character may be a check digit.
  const most = BigInt(alphabet.length) ** BigInt(Math.max(0, maxLength - prefix.length - 1));
  return most < greatest ? most : greatest;
}

/** Whether ids are numbers, or strings of decimal digits. */
export function isNumeric({ idType, text }: Guarantees): boolean {
  return idType !== 'string' || isDecimal(text);
}

/** The spelling of ids with a check digit and without obfuscation. */
export const CHECK_DIGIT = 'check';

/**
 * How the numbers of ids are written; undefined if by their digits in some alphabet. Equal for two sides that
 * write every number the same way. Contains the key, so it is only compared.
 */
export function spellingOf({ encode, guarantees }: SwapSide): string | undefined {
  const { as, prefix, check = false, obfuscate = false, key = '', version } = encode ?? {};
  if (!obfuscate) return check ? CHECK_DIGIT : undefined;
  // Obfuscated digits depend on the key, the alphabet, the width, and the prefix; UUIDs also on the version.
  return JSON.stringify([key.toLowerCase(), as, guarantees.text.maxLength, prefix, check, version ?? 4]);
}
