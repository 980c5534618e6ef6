import { logTableOf, type SqlExecutor } from '@ids/store';
import { columnIds } from './column-ids.js';
import type { IdColumn, NeededEntry, NeededTable } from './generators.js';
import { redisMark, redisReigns } from './redis.js';

/** Something other than the sequence itself that knows of its ids. */
export interface Issued {
  readonly where: string;
  /** The greatest id in it; 0 for none. */
  readonly upTo: bigint;
}

export interface IssuedIds {
  readonly issued: readonly Issued[];
  /** What could not be read, and why. */
  readonly unread: readonly string[];
}

/**
 * How far ids of a sequence were issued: see `recordedIds`. Nothing for a family of keys: what remembers ids
 * holds those of all keys, and each key counts by itself.
 */
export async function issuedIds(
  database: SqlExecutor,
  needed: NeededTable,
  entry: NeededEntry,
): Promise<IssuedIds> {
  return entry.store.byKey === true ? { issued: [], unread: [] } : recordedIds(database, needed, entry);
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
): Promise<IssuedIds> {
  const { position } = store;
  const logged = position?.logged && (() => position.logged?.(database) ?? Promise.resolve(0n));
  const greatest = async (column: IdColumn) => (await columnIds(database, needed.database, column)).greatest;
  return issuedBy([
    ...columns.map((column) => [column.name, greatest(column)] as const),
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

/** What each of these knows, and which of them cannot be read. */
export async function issuedBy(
  asked: readonly (readonly [where: string, upTo: Promise<bigint>])[],
): Promise<IssuedIds> {
  const answers = await Promise.allSettled(asked.map(([, upTo]) => upTo));
  const [issued, unread]: [Issued[], string[]] = [[], []];
  for (const [i, answer] of answers.entries()) {
    const where = asked[i]?.[0] ?? '';
    if (answer.status === 'fulfilled') issued.push({ where, upTo: answer.value });
    else unread.push(`${where}: ${Object(answer.reason).message}`);
  }
  return { issued, unread };
}

/** The one that knows of the greatest id above `maxId`; undefined if none is above. */
export function aboveOf({ issued }: IssuedIds, maxId: number | bigint): Issued | undefined {
  const above = issued.filter(({ upTo }) => upTo > BigInt(maxId));
  return above.toSorted((a, b) => (a.upTo < b.upTo ? 1 : -1))[0];
}

/** Which ids come again if a sequence goes on after `maxId`. */
export function repeatsText({ where, upTo }: Issued, maxId: number | bigint): string {
  return `${where} holds ${upTo}, so ids from ${BigInt(maxId) + 1n} to ${upTo} may be issued again`;
}

/** Throws if a floor is below what is known to have been issued, and what is unknown matters. */
export function assertAbove(floor: number, known: IssuedIds, checked: boolean): void {
  const above = aboveOf(known, floor);
  if (above !== undefined) {
    throw new Error(
      `floor ${floor} is too low: ${repeatsText(above, floor)}; the floor must be ${above.upTo} or more, or --force repeats them`,
    );
  }
  const [unread] = known.unread;
  if (checked && unread !== undefined) {
    throw new Error(
      `floor ${floor} cannot be compared with ${unread}: without --checked, raising it is safe; --force skips the comparison`,
    );
  }
}
