import {
  bytesOf,
  changeFrom,
  numberOf,
  PACE,
  SERVER_HERE,
  sameReign,
  storeReign,
  tableHere,
} from '@ids/store/mysql';
import type { Tables } from './statements.js';

function isKey(family: string, key: string, row = ''): string {
  return `${row}family = ${bytesOf(family)} AND ${row}sequence_key = ${bytesOf(key)}`;
}

/**
 * Where a key and its family stand: a row each, `what` it is of, with the columns of `changeIn`. Changes
 * nothing. Each answer is that of the server that was asked: a former primary that still answers shows the
 * rows that it has.
 */
export function standsStatement({ segments, keys }: Tables, family: string, key: string): string {
  const row = (what: string, table: Tables['keys'], which: string): string =>
    `SELECT '${what}' AS what, CAST(max_id AS char) AS max_id, reign_server, CAST(reign_table AS char) AS reign_table,
  ${SERVER_HERE} AS here_server, CAST(${tableHere(table)} AS char) AS here_table,
  CAST(seconds_lost AS char) AS seconds_lost, CAST(reigns_lost AS char) AS reigns_lost, ${PACE}
FROM ${table.quoted} WHERE ${which}`;
  return `${row('family', segments, `server_name = ${bytesOf(family)}`)}
UNION ALL ${row('key', keys, isKey(family, key))}`;
}

/** A row if nobody has locked that of the key. It locks it itself, until its own end. */
export function unlockedStatement({ keys }: Tables, family: string, key: string): string {
  return `SELECT 1 AS unlocked FROM ${keys.quoted} WHERE ${isKey(family, key)} FOR UPDATE SKIP LOCKED`;
}

/**
 * Raises a key to a floor, unless it is above it. It leaves the reign alone, so the next reservation still
 * skips what it has to, above the floor; or `checked` stores this one. It waits for whoever has locked the
 * row. Without `grant_id`, it is neither logged nor taken for a reservation.
 *
 * Twice or later: nothing more, but with `checked` it may accept a reign that nobody has checked. After the
 * loss of the answer: raised, or to be repeated. On a former primary that still answers: raised there only.
 */
export function raiseKeyStatement(
  { segments, keys }: Tables,
  family: string,
  key: string,
  floor: number,
  checked: boolean,
): string {
  const reigns = `(SELECT f.reigns_lost FROM ${segments.quoted} f WHERE f.server_name = ${bytesOf(family)})`;
  const settled = checked ? `, ${storeReign(keys)}, reigns_lost = COALESCE(${reigns}, reigns_lost)` : '';
  return `UPDATE ${keys.quoted} SET max_id = GREATEST(max_id, ${numberOf(floor)})${settled}
WHERE ${isKey(family, key)}`;
}

/**
 * Makes the row of a new key, at a floor or where new keys start, from the locked row of the family; nothing
 * if somebody else has made it. While a change of the reign is pending in the family, the key may be one that
 * was lost. So unless it is `checked`, the row says that it comes from elsewhere, as after a restore, and its
 * next reservation skips what that costs.
 *
 * Twice: nothing more. Later: as a reservation that makes the key later. After the loss of the answer: made,
 * or to be repeated. On a former primary that still answers: made there only.
 */
export function bearKeyStatement(
  { segments, keys }: Tables,
  family: string,
  key: string,
  floor: number,
  checked: boolean,
): string {
  // The trigger of INSERT marks a row that brings a reign with it.
  const reign = checked ? 'NULL' : `IF(${sameReign(segments)}, NULL, 1)`;
  return `INSERT IGNORE INTO ${keys.quoted} (family, sequence_key, max_id, reign_table, seconds_lost, reigns_lost)
SELECT ${bytesOf(family)}, ${bytesOf(key)}, GREATEST(max_id, ${numberOf(floor)}), ${reign}, seconds_lost, reigns_lost
FROM ${segments.quoted} WHERE server_name = ${bytesOf(family)} LOCK IN SHARE MODE`;
}

/**
 * After a failover, gives such a row the server of its family, which costs as many ids as in the family.
 * Until then, its next reservation skips those of a restore. Twice or later: nothing more.
 */
export function markStatement({ segments, keys }: Tables, family: string, key: string): string {
  const change = changeFrom(SERVER_HERE, tableHere(segments), 's.');
  return `UPDATE ${keys.quoted} k JOIN ${segments.quoted} s ON s.server_name = k.family
SET k.reign_server = s.reign_server
WHERE ${isKey(family, key, 'k.')} AND ${change} = 'failover' AND k.reign_server = 'inserted'`;
}
