import type { Row } from '../executor.js';
import type { ReignChange } from '../reign-change.js';
import { type Origin, readOrigin } from '../reigns.js';
import { greaterSkip, LANES, type Skips } from '../skip.js';
import type { MysqlTable } from './text.js';

/*
 * As `../postgres/reign.ts`, but InnoDB does not disclose which transaction wrote a row. So two other facts
 * stand in the row and are compared in the same UPDATE:
 *
 * - The server: its `server_id`, which differs within every replication topology, and on MySQL also its
 *   `server_uuid`. A promoted replica has another one: `failover`.
 * - The table: the second in which it was created. A dump drops the table and creates it again: `restore`.
 *   ALTER TABLE and OPTIMIZE TABLE look the same, and so do files that were copied back (MariaDB).
 *
 * A former primary whose own row shows none of this is detected by the names of the reigns, which each change
 * adds to the row: see `KnownReigns` of `@ids/segment`. A reservation names those that it expects, so it also
 * says what it found.
 *
 * A dump that only inserts the rows again passes the trigger of INSERT, which marks every row that brings a
 * reign with it: `restore`, too. Reservations that wait for the lock of the row are evaluated on its new
 * version, so only the first one of a reign finds the change.
 */

/** What the trigger of INSERT writes instead of a server into a row that came with a reign. */
export const INSERTED = 'inserted';

/** The server of this statement. MariaDB skips the part for MySQL: it has no `server_uuid`. */
export const SERVER_HERE = `CONCAT_WS('/', @@GLOBAL.server_id/*!80000 , @@GLOBAL.server_uuid*/)`;

/** In SQL: when the table was created, in seconds since 1970. */
export function tableHere({ isThis }: MysqlTable): string {
  return `(SELECT UNIX_TIMESTAMP(CREATE_TIME) FROM information_schema.TABLES WHERE ${isThis})`;
}

/** Whether the row is of this reign. */
export function sameReign(table: MysqlTable): string {
  return `reign_server = ${SERVER_HERE} AND reign_table = ${tableHere(table)}`;
}

/** Assignments that store this reign. */
export function storeReign(table: MysqlTable): string {
  return `reign_server = ${SERVER_HERE}, reign_table = ${tableHere(table)}`;
}

/**
 * What `changeIn` returns, in SQL: `server` and `table` are the reign that the row should have. `row`: a name
 * of the table and a dot, for statements on several.
 */
export function changeFrom(server: string, table: string, row = ''): string {
  return `CASE WHEN ${row}reign_server = ${server} AND ${row}reign_table = ${table} THEN NULL
    WHEN ${row}reign_server IS NULL OR ${row}reign_table IS NULL OR ${row}reign_server IN ('${INSERTED}', ${server}) THEN 'restore'
    ELSE 'failover' END`;
}

/** How many characters of names are kept: a dozen, with what separates them. */
const REIGNS_LENGTH = 255;

/**
 * The name of a new reign, in SQL: the server, for people, and 32 random bits, so that two servers never
 * share one.
 */
export const NEW_REIGN = `CONVERT(CONCAT(@@GLOBAL.server_id, '-', LEFT(MD5(UUID()), 8)) USING ascii)`;

/** The names of the reigns in a row with a new one in front, in SQL. */
export const WITH_NEW_REIGN = `LEFT(CONCAT_WS(',', ${NEW_REIGN}, reigns), ${REIGNS_LENGTH})`;

/**
 * The same for a row that was read on `server`, with 8 or more hexadecimal digits in place of the random
 * bits.
 */
export function withReignOf(server: string, nonce: string, names: string | null): string {
  const [id = ''] = server.split('/');
  return [`${id}-${nonce.slice(0, 8)}`, ...(names === null ? [] : [names])].join(',').slice(0, REIGNS_LENGTH);
}

/**
 * Tells the server that was asked from another one that inherited the same row: their ids differ in every
 * replication topology. Up to 256 servers with consecutive ids are on different lanes.
 */
export function laneOf(server: unknown): number {
  return Number.parseInt(String(server), 10) % LANES;
}

/** A reign as it was read: that of the row, or that of the server and the table. */
export interface Reign {
  readonly server: string | null;
  readonly table: number | null;
}

/** What a row said about its history. */
export interface RowHistory {
  readonly realm: string;
  /** The names of its reigns, separated by commas; null in a row without any. */
  readonly names: string | null;
  /** The server that was asked. */
  readonly server: string;
}

/** What a caller compares it with. */
export function originOf({ realm, names }: RowHistory): Origin {
  return readOrigin({ realm, reigns: names });
}

/** The history in a row that was read. */
export function historyOf({ realm, reigns, here_server: server }: Row): RowHistory {
  return { realm: String(realm), names: textOrNull(reigns), server: String(server) };
}

/** The reign that a row stores, and the one in which it was read. */
export function reignsOf(row: Row): { readonly stored: Reign; readonly here: Reign } {
  return {
    stored: { server: textOrNull(row.reign_server), table: numberOrNull(row.reign_table) },
    here: { server: textOrNull(row.here_server), table: numberOrNull(row.here_table) },
  };
}

/** What the next reservation would detect in a row that was read. */
export function changeIn(row: Row): ReignChange | undefined {
  const { stored, here } = reignsOf(row);
  if (stored.server === here.server && stored.table === here.table) return undefined;
  // Without a reign: it was inserted while the trigger was missing.
  const rewritten = stored.server === null || stored.table === null || stored.server === INSERTED;
  return rewritten || stored.server === here.server ? 'restore' : 'failover';
}

/**
 * The ids to skip after each change. A dump that was restored into another server looks like a promoted
 * replica, so after a `failover` the greater number applies, and a refusal of either.
 */
export function mysqlSkips<S extends Skips>(skips: S): S {
  const { failover, restore } = skips;
  return { ...skips, failover: greaterSkip(failover, restore) };
}

function textOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}

function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
