import { GROUP_CAPACITY, LAST_ID, type SequenceGroup } from '@ids/segment';
import { mysqlGroupNow, NOW_MS } from '@ids/segment/sql';
import { baseOf, GROWTH, perSecondOf, type Skip, type Skips } from '@ids/store';
import {
  bytesOf,
  changeFrom,
  DURABILITY,
  laneOf,
  type MysqlTable,
  numberOf,
  paceAfter,
  type RowHistory,
  rateOf,
  rowLimit,
  SERVER_HERE,
  sameReign,
  statementLimit,
  tableHere,
  textOf,
  withinTimeLimit,
} from '@ids/store/mysql';
import type { KeyRequest } from '../keyed-source.js';
import { KEY_LANE_SECONDS, leastDistanceOf, perLostReign } from '../table/options.js';

/*
 * Every SQL text that runs against the tables in daily use. MariaDB and MySQL get the same texts.
 *
 * An UPDATE returns no columns here. So triggers leave what it reserved in a session variable, with the id of
 * the statement, and a second statement on the same connection reads it. An answer with another id, as behind
 * a proxy that runs the two on different connections, is that of somebody else: nothing is used.
 *
 * Keys that exist and new ones need a statement each: only a locking read can leave out rows that others have
 * locked, and then it cannot show which rows there are.
 */

/** A family's table and that of its keys. */
export interface Tables {
  readonly segments: MysqlTable;
  readonly keys: MysqlTable;
}

/** A family as it was read in the reign of its server. */
export interface KnownFamily extends RowHistory {
  readonly name: string;
  /** When its table was created, as the server says it: see `tableHere`. */
  readonly created: string;
  /** How many seconds it may have lost so far. */
  readonly secondsLost: number;
  /** How many reigns it has lost so far. */
  readonly reignsLost: number;
  /** The `DURABILITY` of the server when it was found to be durable. */
  readonly durability: string;
  /** Present if it has groups. */
  readonly group: SequenceGroup | undefined;
}

/** A request with its ordinal, from 1, among those of a call. */
export interface Wanted extends KeyRequest {
  readonly nth: number;
}

/** What a reservation must respect. */
export interface Limits {
  /** Names this execution, in 32 hexadecimal digits. */
  readonly grantId: string;
  readonly skips: Skips;
  /** How long the server may take, in milliseconds; undefined without a limit. */
  readonly limitMs: number | undefined;
  /** Who reserves, for the grant log; undefined without one. */
  readonly owner: string | undefined;
}

/**
 * The requests as a table `w`. Whoever joins it in this order locks rows in the order of the requests. MySQL
 * wants the word ROW, which MariaDB does not know.
 */
function wantedTable(wanted: readonly Wanted[]): string {
  const rows = wanted.map(({ nth, key, size, floor, startAfter }) => {
    const numbers = [nth, size, floor ?? null, startAfter ?? null].map(numberOf);
    return `/*!80019 ROW*/(${bytesOf(key)}, ${numbers.join(', ')})`;
  });
  return `(WITH w (sequence_key, nth, size, floor, start) AS (VALUES ${rows.join(', ')}) SELECT * FROM w)`;
}

/**
 * Nothing if the server is another one than where the family was read, or set otherwise. With groups, also
 * the one that is now.
 */
function here({ segments, keys }: Tables, { server, created, durability, group }: KnownFamily): string {
  const { base, limit } = group === undefined ? {} : mysqlGroupNow(group);
  const now = base === undefined ? '' : `, ${base} AS group_base, ${limit} AS group_limit`;
  return `(SELECT ${SERVER_HERE} AS server, ${tableHere(keys)} AS created${now} FROM (SELECT 1) one
    WHERE ${SERVER_HERE} = ${textOf(server)} AND ${tableHere(segments)} = ${created} AND ${DURABILITY} = ${textOf(durability)})`;
}

/** Where a key stands, or where new keys start, by the row; `h` is `here`. */
function highestOf({ group }: KnownFamily): string {
  return group === undefined ? 's.max_id' : 'GREATEST(s.max_id, h.group_base)';
}

/** The condition for `size` ids above `start`: with groups, all are in one, and it has begun. */
function fits({ group }: KnownFamily, start: string, size: string, limit: string): string {
  if (group === undefined) return `${start} + ${size} <= ${LAST_ID}`;
  return `${start} < ${limit} AND ${inOne(group, start, size)}`;
}

function inOne({ by }: SequenceGroup, start: string, size: string): string {
  const capacity = numberOf(GROUP_CAPACITY[by]);
  return `${start} DIV ${capacity} = (${start} + ${size}) DIV ${capacity}`;
}

/** Above which id a key starts whose row is lost, and of which a caller remembers an id. */
function lostFloor({ restore, failover }: Skips, { secondsLost, group }: KnownFamily): string {
  const perSecond = Math.max(perSecondOf(restore), perSecondOf(failover));
  const grown = group === undefined ? perSecond * secondsLost : 0;
  return `w.floor + ${numberOf(baseOf(restore))} + ${numberOf(grown)}`;
}

function ownerOf(owner: string | undefined): string {
  return owner === undefined ? 'NULL' : textOf(owner);
}

function inTime(limitMs: number | undefined): string {
  return limitMs === undefined ? '' : ` AND ${withinTimeLimit(limitMs)}`;
}

/** A number that is not negative, of any type, as one of the type of ids. */
function wholeNumber(value: string): string {
  return `CAST(CEIL(LEAST(${value}, ${LAST_ID})) AS signed)`;
}

/** Keeps the optimizer from merging a derived table into the UPDATE, which would lock rows in any order. */
const ALL_ROWS = 'LIMIT 18446744073709551615';

/** The derived table has no index, for which a server in safe mode would refuse the UPDATE. */
const UNSAFE = 'sql_safe_updates = 0';

/**
 * Reserves ids of keys that exist: one UPDATE that commits by itself. `wait`: whether it waits for rows that
 * others have locked. Without it, they are left out, and it waits for no row. Rows are locked in the order of
 * the requests: in the order of the keys, so that two such statements never wait for each other.
 *
 * Twice: ids twice. Later than its caller waits: nothing. After the loss of its answer: ids that nobody uses.
 * On another server than the one where the family was read: nothing. So a former primary that still answers
 * reserves only for those who have read the family there, ids below those that its successor skips.
 */
export function raiseStatement(
  tables: Tables,
  family: KnownFamily,
  wanted: readonly Wanted[],
  { grantId, skips, limitMs, owner }: Limits,
  wait: boolean,
): string {
  const { quoted } = tables.keys;
  const change = changeFrom('h.server', 'h.created', 's.');
  const name = bytesOf(family.name);
  const highest = highestOf(family);
  const { group } = family;
  const limit = group === undefined ? '' : ', h.group_limit';
  const rate = rateOf('s.');
  const skipAfter = (skip: Skip, least: number | null): string => {
    if (typeof skip !== 'object') return numberOf(skip);
    if (skip === null) return 'NULL';
    const terms = [numberOf(skip.base)];
    if (group === undefined) {
      const perSecond = `GREATEST(${numberOf(skip.perSecond)}, ${GROWTH} * ${rate})`;
      terms.push(wholeNumber(`${perSecond} * GREATEST(0, ${numberOf(family.secondsLost)} - s.seconds_lost)`));
    }
    if (least !== null) {
      terms.push(
        `${wholeNumber(`GREATEST(${numberOf(least)}, ${KEY_LANE_SECONDS} * ${rate})`)} * ${numberOf(laneOf(family.server))}`,
      );
    }
    return terms.join(' + ');
  };
  const pace = Object.entries(paceAfter('w.size', 's.'));
  const { ids, seconds } = perLostReign(skips);
  const reigns = `${numberOf(family.reignsLost)} - s.reigns_lost`;
  const perReign = `${numberOf(ids)} + ${wholeNumber(`${numberOf(seconds)} * ${rate}`)}`;
  const reinstated = `IF(${reigns} > 0, (${reigns}) * (${perReign}), 0)`;
  // What is computed of a row, is computed of the locked one, so it still holds when that is updated.
  return `${statementLimit(limitMs, UNSAFE)}UPDATE ${rowLimit(limitMs, UNSAFE)}(
  SELECT w.nth, w.size, s.sequence_key, h.server, h.created${limit}, ${change} AS noticed,
    IF(w.floor > ${highest}, w.floor + ${numberOf(baseOf(skips.restore))}, ${highest})
      + ${reinstated} + CASE ${change} WHEN 'failover' THEN ${skipAfter(skips.failover, leastDistanceOf(skips.failover))} WHEN 'restore' THEN ${skipAfter(skips.restore, null)} ELSE 0 END AS above,
    ${pace.map(([column, value]) => `${value} AS ${column}`).join(', ')}
  FROM ${here(tables, family)} h STRAIGHT_JOIN ${wantedTable(wanted)} w
    STRAIGHT_JOIN ${quoted} s ON s.family = ${name} AND s.sequence_key = w.sequence_key
  ${ALL_ROWS} FOR UPDATE${wait ? '' : ' SKIP LOCKED'}
) f STRAIGHT_JOIN ${quoted} k ON k.family = ${name} AND k.sequence_key = f.sequence_key
SET k.max_id = f.above + f.size, k.noticed = f.noticed, k.reign_server = f.server, k.reign_table = f.created,
  k.nth = f.nth, k.size = f.size, k.grant_id = X'${grantId}', k.owner = ${ownerOf(owner)},
  k.seconds_lost = ${numberOf(family.secondsLost)}, k.reigns_lost = GREATEST(k.reigns_lost, ${numberOf(family.reignsLost)}), ${pace.map(([column]) => `k.${column} = f.${column}`).join(', ')}
WHERE ${fits(family, 'f.above', 'f.size', 'f.group_limit')}${inTime(limitMs)}`;
}

/**
 * Reserves the first ids of keys, at most the first `most` of them: one INSERT that commits by itself. It
 * adds nothing to a key that exists by then, and waits for one that somebody else is just making. Where new
 * keys start is read from the locked row of the family, so that nobody raises it before this has committed.
 *
 * Twice: the second one adds nothing. Later, after a loss and elsewhere: as above.
 */
export function bearStatement(
  tables: Tables,
  family: KnownFamily,
  wanted: readonly Wanted[],
  { grantId, skips, limitMs, owner }: Limits,
  most: number | undefined,
): string {
  const name = bytesOf(family.name);
  const highest = highestOf(family);
  const { group } = family;
  const start = `GREATEST(${highest} + COALESCE(w.start, 0), IF(w.floor IS NULL, 0, ${lostFloor(skips, family)}))`;
  const names = family.names === null ? 'NULL' : textOf(family.names);
  const groups =
    group === undefined
      ? 's.group_by IS NULL'
      : `s.group_by = '${group.by}' AND s.time_zone = ${textOf(group.timeZone)} AND ${inOne(group, highest, 'COALESCE(w.start, 0)')}`;
  return `${statementLimit(limitMs)}INSERT ${rowLimit(limitMs)}IGNORE INTO ${tables.keys.quoted} (family, sequence_key, max_id, nth, size, grant_id, owner, seconds_lost, reigns_lost, minute_ids)
SELECT ${name}, b.sequence_key, b.max_id, b.nth, b.size, X'${grantId}', ${ownerOf(owner)}, b.seconds_lost, b.reigns_lost, b.size FROM (
SELECT w.sequence_key, ${start} + w.size AS max_id, w.nth, w.size, s.seconds_lost, s.reigns_lost
FROM ${here(tables, family)} h STRAIGHT_JOIN ${tables.segments.quoted} s STRAIGHT_JOIN ${wantedTable(wanted)} w
WHERE s.server_name = ${name} AND s.realm = ${textOf(family.realm)} AND s.reigns <=> ${names} AND ${groups}
  AND s.reign_server = h.server AND s.reign_table = ${family.created} AND ${fits(family, start, 'w.size', 'h.group_limit')}${inTime(limitMs)}
ORDER BY w.nth LIMIT ${numberOf(most ?? wanted.length)} LOCK IN SHARE MODE
) b ORDER BY b.sequence_key`;
}

/**
 * What the last statement on this connection has reserved: see `mysql/schema.ts`. And `now_ms`, a moment
 * after that by the clock of the server.
 */
const GRANTED = `HEX(@ids_keys_of) AS granted_by, CONVERT(@ids_keys USING ascii) AS granted, @ids_keys_logged <=> @ids_keys_of AS logged,
  ${NOW_MS} AS now_ms`;

export const grantedStatement = `SELECT ${GRANTED}`;

/**
 * The same in its first row, with whether the server is still the one where the family was read, and where
 * new keys start. Then a row for each key that exists. Changes nothing.
 */
export function stateStatement(tables: Tables, family: KnownFamily, wanted: readonly Wanted[]): string {
  const name = bytesOf(family.name);
  return `SELECT ${GRANTED}, EXISTS (SELECT 1 FROM ${here(tables, family)} h) AS same,
  (SELECT CAST(max_id AS char) FROM ${tables.segments.quoted} WHERE server_name = ${name}) AS max_id,
  NULL AS nth, NULL AS noticed, NULL AS seconds, NULL AS reigns, NULL AS rate
UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, CAST(s.max_id AS char), w.nth, ${changeFrom(SERVER_HERE, tableHere(tables.keys), 's.')},
  CAST(${numberOf(family.secondsLost)} - s.seconds_lost AS char), CAST(${numberOf(family.reignsLost)} - s.reigns_lost AS char), CAST(${rateOf('s.')} AS char)
FROM ${wantedTable(wanted)} w STRAIGHT_JOIN ${tables.keys.quoted} s ON s.family = ${name} AND s.sequence_key = w.sequence_key`;
}

/**
 * Reads a family, the reign that it should have, and what cannot be seen in the server's variables. Always
 * one row; `realm` is null without such a family. `here_database` is the default of the connection. Changes
 * nothing.
 */
export function familyStatement({ segments, keys }: Tables, family: string): string {
  return `SELECT CAST(s.max_id AS char) AS max_id, s.realm, s.reigns, s.group_by, s.time_zone, s.reign_server,
  CAST(s.reign_table AS char) AS reign_table,
  CAST(s.seconds_lost AS char) AS seconds_lost, CAST(s.reigns_lost AS char) AS reigns_lost, h.*
FROM (SELECT ${SERVER_HERE} AS here_server, CAST(${tableHere(segments)} AS char) AS here_table,
    CAST(${tableHere(keys)} AS char) AS here_keys, (SELECT ENGINE FROM information_schema.TABLES WHERE ${keys.isThis}) AS engine,
    @@SESSION.autocommit AS autocommit, DATABASE() AS here_database, ${DURABILITY} AS durability) h
  LEFT JOIN ${segments.quoted} s ON s.server_name = ${bytesOf(family)}`;
}

/** Where a key stands; no row for one without ids. */
export function keyStatement({ keys }: Tables, family: string, key: string): string {
  return `SELECT CAST(max_id AS char) AS max_id FROM ${keys.quoted}
WHERE family = ${bytesOf(family)} AND sequence_key = ${bytesOf(key)}`;
}

/** Fails unless the table of the keys is there, with what a service reads of it. */
export function probeStatement({ keys }: Tables): string {
  return `SELECT family, sequence_key, max_id, reign_server, reign_table, seconds_lost, reigns_lost FROM ${keys.quoted} WHERE FALSE`;
}

/**
 * Announces that a key is deleted, to the trigger that guards it: and raises its family to it, so that new
 * keys start above its ids, or leaves the family alone. Twice, later, or without what follows: no effect.
 */
export function announceStatement(
  { keys }: Tables,
  family: string,
  key: string,
  deletion: 'raise' | 'repeat',
): string {
  return `UPDATE ${keys.quoted} SET deletion = '${deletion}'
WHERE family = ${bytesOf(family)} AND sequence_key = ${bytesOf(key)}`;
}

/**
 * Deletes a key that was announced. With `raise`, only if it is of the reign of this server, so that it has
 * no ids which its row does not show. Twice, or later: a key that was made since was not announced. After the
 * loss of its answer: it is deleted. On a former primary that still answers: deleted there only.
 */
export function deleteStatement(
  { keys }: Tables,
  family: string,
  key: string,
  deletion: 'raise' | 'repeat',
): string {
  const settled = deletion === 'raise' ? ` AND ${sameReign(keys)}` : '';
  return `DELETE FROM ${keys.quoted}
WHERE family = ${bytesOf(family)} AND sequence_key = ${bytesOf(key)} AND deletion = '${deletion}'${settled}`;
}

/** Deletes what a grant log says about a key. Twice or later: entries of the time since, too. */
export function deleteLogStatement(log: string, family: string, key: string): string {
  return `DELETE FROM ${log} WHERE family = ${bytesOf(family)} AND sequence_key = ${bytesOf(key)}`;
}
