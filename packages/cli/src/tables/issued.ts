import { IdError, isIdError } from '@ids/core';
import { logTableOf, type SqlExecutor } from '@ids/store';
import { columnIds } from './column-ids.js';
import type { IdColumn, NeededEntry, NeededTable } from './generators.js';
import { redisMark, redisReigns } from './redis.js';

/** Something other than the sequence itself that knows of its ids. */
export interface Issued {
  readonly where: string;
  /** The greatest id in it; 0 for none. */
  readonly upTo: bigint;
  /** Whether nothing but the sequence itself can have written it. */
  readonly isOwn?: boolean;
  /** Whether it is what numbers a column, which may be above the column on purpose: see docs/migrating.md. */
  readonly counts?: boolean;
  /** Of a column: the generators of other sequences that may have issued it, as in a swap. */
  readonly others?: readonly string[];
}

/** Something that could not be read. */
interface Unread {
  /** What, and why. */
  readonly text: string;
  readonly error: unknown;
  readonly isColumn: boolean;
}

export interface IssuedIds {
  readonly issued: readonly Issued[];
  readonly unread: readonly Unread[];
}

/**
 * How far ids of a sequence were issued: see `recordedIds`. Nothing for a family of keys: what remembers ids
 * holds those of all keys, and each key counts by itself.
 */
export async function issuedIds(
  database: SqlExecutor,
  needed: NeededTable,
  entry: NeededEntry,
  options?: RecordOptions,
): Promise<IssuedIds> {
  return entry.store.byKey === true
    ? { issued: [], unread: [] }
    : recordedIds(database, needed, entry, options);
}

interface RecordOptions {
  /**
   * Whether what numbers the columns counts as well: for the start of a sequence, and for a floor. A sequence
   * that runs may be below it for as long as a migration lasts.
   */
  readonly counters?: boolean;
}

/**
 * How far ids of a sequence were issued, by all that remembers it: the columns of its generators, the grant
 * log, and the hashes in Redis. A table that lost its last reservations stands below one of them. Changes
 * nothing. Processes that still run may hold greater ids.
 */
export async function recordedIds(
  database: SqlExecutor,
  needed: NeededTable,
  { store, columns, hashes }: NeededEntry,
  { counters = false }: RecordOptions = {},
): Promise<IssuedIds> {
  const { position } = store;
  const logged = position?.logged && (() => position.logged?.(database) ?? Promise.resolve(0n));
  const inColumn = async (column: IdColumn): Promise<Issued[]> => {
    const { found, greatest, counter } = await columnIds(database, needed.database, column, {
      counted: counters,
    });
    const counted = counter === undefined ? [] : [{ ...counter, counts: true }];
    return [{ where: found, upTo: greatest, others: column.others }, ...counted];
  };
  return issuedBy([
    ...columns.map((column) => [undefined, inColumn(column)] as const),
    ...(logged === undefined ? [] : [[`the grant log ${logTableOf(needed.table)}`, logged()] as const]),
    ...hashes.map((hash) => [`the mark of ${hash.key} in Redis`, redisMark(hash)] as const),
  ]);
}

/** The reigns of which the hashes of a sequence have heard; those that cannot be read are left out. */
export async function heardReigns({ store, hashes }: NeededEntry): Promise<readonly string[]> {
  if (store.byKey === true) return [];
  const heard = await Promise.allSettled(hashes.map(redisReigns));
  return [...new Set(heard.flatMap((names) => (names.status === 'fulfilled' ? names.value : [])))];
}

/**
 * What each of these knows, and which of them cannot be read. One without a name is a column, which errors
 * name.
 */
export async function issuedBy(
  asked: readonly (readonly [where: string | undefined, upTo: Promise<bigint | readonly Issued[]>])[],
): Promise<IssuedIds> {
  const answers = await Promise.allSettled(asked.map(([, upTo]) => upTo));
  const [issued, unread]: [Issued[], Unread[]] = [[], []];
  for (const [i, answer] of answers.entries()) {
    const where = asked[i]?.[0];
    if (answer.status === 'rejected') {
      const { message } = Object(answer.reason) as { readonly message?: unknown };
      const text = where === undefined ? String(message) : `${where}: ${message}`;
      unread.push({ text, error: answer.reason, isColumn: where === undefined });
    } else if (typeof answer.value === 'bigint')
      issued.push({ where: where ?? '', upTo: answer.value, isOwn: true });
    else issued.push(...answer.value);
  }
  return { issued, unread };
}

/** The one that knows of the greatest id above `maxId`; undefined if none is above. */
export function aboveOf({ issued }: IssuedIds, maxId: number | bigint): Issued | undefined {
  const above = issued.filter(({ upTo }) => upTo > BigInt(maxId));
  return above.toSorted((a, b) => (a.upTo < b.upTo ? 1 : -1))[0];
}

export const namesOf = (generators: readonly string[]): string =>
  generators.map((name) => `generators.${name}`).join(' and ');

/** Which ids come again if a sequence goes on after `maxId`. */
export function repeatsText({ where, upTo }: Issued, maxId: number | bigint): string {
  return `${where} holds ${upTo}, so ids from ${BigInt(maxId) + 1n} to ${upTo} may be issued again`;
}

/** Throws if a floor is below what is known to have been issued, and what is unknown matters. */
export function assertAbove(floor: number, known: IssuedIds, checked: boolean): void {
  const above = aboveOf(known, floor);
  if (above !== undefined) {
    const { others = [] } = above;
    const unless = above.counts
      ? '. If it was raised on purpose, so that it goes on above the new IDs, --force accepts the floor'
      : others.length > 0
        ? `. If they are of ${namesOf(others)}, as during a swap, --force accepts the floor`
        : ', or --force repeats them';
    throw new Error(
      `floor ${floor} is too low: ${repeatsText(above, floor)}; the floor must be ${above.upTo} or more${unless}`,
    );
  }
  const column = known.unread.find(({ isColumn, error }) => isColumn && isIdError(error));
  if (column !== undefined) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `floor ${floor} cannot be compared with ${column.text}; --force skips the comparison`,
    );
  }
  const [unread] = known.unread;
  if (checked && unread !== undefined) {
    throw new Error(
      `floor ${floor} cannot be compared with ${unread.text}: without --checked, raising it is safe; --force skips the comparison`,
    );
  }
}
