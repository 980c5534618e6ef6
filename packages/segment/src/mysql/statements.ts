import {
  bytesOf,
  countIds,
  DURABILITY,
  hasPace,
  limitOf,
  type MysqlTable,
  mysqlTable,
  NEW_REIGN,
  numberOf,
  PACE,
  type Reign,
  type RowHistory,
  rowLimit,
  SAME_MINUTE,
  SERVER_HERE,
  sameReign,
  statementLimit,
  storeLoss,
  storePace,
  storeReign,
  tableHere,
  textOf,
  WITH_NEW_REIGN,
  withinTimeLimit,
} from '@ids/store/mysql';
import type { OpenGroup } from '../groups/group-clock.js';
import { GROUP_CAPACITY } from '../groups/sequence-group.js';
import { LAST_ID } from '../segment.js';
import type { NewSequence } from '../table/dialect.js';
import type { FoundChange, WantedSegment } from '../table/read-first.js';
import { NOW_MS } from './groups.js';

/*
 * Every SQL text that runs against the segment table in daily use, as in `../postgres/statements.ts`.
 *
 * MariaDB and MySQL get the same texts. What only one of them understands is in a comment that the other
 * skips: of the MariaDB kind, of the kind for MySQL 8, or a hint for the optimizer.
 */

/** What a reservation must respect. */
export interface Reservation extends WantedSegment {
  /** What the row said when it was read: the statement finds no other. */
  readonly history: RowHistory;
  /** The `DURABILITY` of the server when it was found to be durable. */
  readonly durability: string;
  /** Who reserves, for the grant log; undefined without one. */
  readonly owner: string | undefined;
  /**
   * In which minute its ids are counted. `same`: in that of the row, which is cheaper; no row matches if it
   * is over. Undefined: in none.
   */
  readonly minute: 'any' | 'same' | undefined;
  /** Names this execution, in 32 hexadecimal digits. */
  readonly grantId: string;
  /** The names of the reigns to store, if a reign begins; undefined to leave those in the row. */
  readonly newNames: string | undefined;
  /** How long the caller waits from now on, in milliseconds; undefined without a limit. */
  readonly leftMs: number | undefined;
  /** Present if the sequence had groups when it was last read. */
  readonly group: OpenGroup | undefined;
}

/** A change of the reign that was read, and what to do about it. */
export interface Crossing extends FoundChange {
  /** What stood in the row. */
  readonly maxId: number;
  readonly stored: Reign;
  /** What should have stood there. */
  readonly here: Reign;
}

/**
 * Reserves a segment: one UPDATE that commits by itself. The server's answer has the new `max_id`. No row
 * matches if there is no such sequence, or it is of another reign, elsewhere than expected, out of room, has
 * other groups than expected, if the server is no longer set as it was when found durable, or if it is too
 * late.
 *
 * Run twice, it reserves two segments. Run later than its caller waits, it reserves nothing. After the loss
 * of its answer, the segment is reserved and nobody uses it. With a `crossing`, it skips ids and stores the
 * reign of here, if the row and the server are exactly as they were read: of any number of such statements,
 * and of one that is run twice, only the first finds a row.
 *
 * On another server than a moment ago, it finds no row unless that one has the same history: a former primary
 * that still answers is not raised into what its successor issues.
 */
export function reserveStatement(table: MysqlTable, reservation: Reservation, crossing?: Crossing): string {
  const {
    name,
    size,
    floor,
    maxJump,
    loss,
    expectedMaxId,
    history,
    durability,
    owner,
    minute,
    grantId,
    newNames,
    leftMs,
    group,
  } = reservation;
  const limitMs = leftMs === undefined ? undefined : limitOf(leftMs);
  const base = numbers([group?.base]);
  const highest = greatest(['max_id', ...base]);
  const start = greatest(['max_id', ...base, ...numbers([floor])]);
  const skips = [
    ...numbers([crossing?.skipped]),
    // A null in GREATEST is a null, which no condition accepts.
    ...(floor === undefined ? [] : [`IF(${numberOf(floor)} > ${highest}, ${numberOf(loss)}, 0)`]),
  ];
  const above = skips.length === 0 ? start : `(${start} + ${greatest(skips)})`;
  const high = `${above} + ${numberOf(size)}`;
  const conditions = [
    `server_name = ${bytesOf(name)}`,
    `realm = ${textOf(history.realm)} AND reigns <=> ${history.names === null ? 'NULL' : textOf(history.names)}`,
    crossing === undefined ? sameReign(table) : asRead(table, crossing),
    `${DURABILITY} = ${textOf(durability)}`,
    `${above} <= ${LAST_ID} - ${numberOf(size)}`,
    ...(floor === undefined ? [] : [`${numberOf(floor)} <= ${highest} + ${numberOf(maxJump)}`]),
    ...(expectedMaxId === undefined ? [] : [`max_id = ${numberOf(expectedMaxId)}`]),
    ...(group === undefined ? ['group_by IS NULL'] : inGroup(group, above, size)),
    ...(minute === 'same' ? [SAME_MINUTE] : []),
    ...(limitMs === undefined ? [] : [withinTimeLimit(limitMs)]),
  ];
  // `reserved_to` comes before `max_id`: in the standard mode, an assignment sees those to its left.
  return `${statementLimit(limitMs)}UPDATE ${rowLimit(limitMs)}${table.quoted}
SET reserved_to = ${high}, max_id = LAST_INSERT_ID(${high}), granted = ${numberOf(size)}, grants = grants + 1,
  grant_id = X'${grantId}', owner = ${owner === undefined ? 'NULL' : textOf(owner)}${minute === undefined ? '' : `,\n  ${crossing === undefined ? '' : `${storeLoss('TRUE')}, `}${(minute === 'same' ? countIds : storePace)(numberOf(size))}`}${crossing === undefined ? '' : `,\n  ${storeReign(table)}`}${newNames === undefined ? '' : `,\n  reigns = ${textOf(newNames)}`}
WHERE ${conditions.join('\n  AND ')}`;
}

function greatest(terms: readonly string[]): string {
  return terms.length === 1 ? String(terms[0]) : `GREATEST(${terms.join(', ')})`;
}

function numbers(values: readonly (number | undefined)[]): string[] {
  return values.filter((value) => value !== undefined).map(numberOf);
}

/** All ids must be in one group, and that group must have begun. */
function inGroup({ by, timeZone, limit }: OpenGroup, start: string, size: number): string[] {
  const capacity = numberOf(GROUP_CAPACITY[by]);
  return [
    `group_by = '${by}' AND time_zone = '${timeZone}'`,
    `${start} < ${numberOf(limit)} AND ${start} DIV ${capacity} = (${start} + ${numberOf(size)}) DIV ${capacity}`,
  ];
}

/** A former primary that becomes the primary again, as in `FormerPrimary`. */
export interface Reinstating {
  readonly name: string;
  readonly floor: number;
  readonly skip: number;
  readonly history: RowHistory;
  /** The names of the reigns to store. */
  readonly newNames: string;
  /** How many reigns are lost; undefined if the table does not count them. */
  readonly lost: number | undefined;
  readonly durability: string;
  readonly leftMs: number | undefined;
  readonly group: OpenGroup | undefined;
}

/**
 * Raises the row of a former primary, and names a reign that follows all that are known. It reserves nothing.
 * No row matches if its reigns are others, if the server or the table is another one than when the row was
 * last written, without room, or too late. Run twice, it finds other reigns, and on another server as well.
 */
export function reinstateStatement(table: MysqlTable, reinstating: Reinstating): string {
  const { name, floor, skip, history, newNames, lost, durability, leftMs, group } = reinstating;
  const limitMs = leftMs === undefined ? undefined : limitOf(leftMs);
  const raised = `(${greatest(['max_id', ...numbers([group?.base, floor])])} + ${numberOf(skip)})`;
  const conditions = [
    `server_name = ${bytesOf(name)}`,
    `realm = ${textOf(history.realm)} AND reigns <=> ${history.names === null ? 'NULL' : textOf(history.names)}`,
    sameReign(table),
    `${DURABILITY} = ${textOf(durability)}`,
    `${raised} < ${LAST_ID}`,
    ...(group === undefined ? ['group_by IS NULL'] : inGroup(group, raised, 1)),
    ...(limitMs === undefined ? [] : [withinTimeLimit(limitMs)]),
  ];
  return `${statementLimit(limitMs)}UPDATE ${rowLimit(limitMs)}${table.quoted}
SET reserved_to = ${raised}, max_id = ${raised}, reigns = ${textOf(newNames)}${lost === undefined ? '' : `, reigns_lost = reigns_lost + ${numberOf(lost)}`}
WHERE ${conditions.join('\n  AND ')}`;
}

/** The row and the server as they were read. */
function asRead(table: MysqlTable, { maxId, stored, here }: Crossing): string {
  const server = stored.server === null ? 'NULL' : textOf(stored.server);
  return `max_id = ${numberOf(maxId)} AND reign_server <=> ${server} AND reign_table <=> ${numberOf(stored.table)}
  AND ${SERVER_HERE} = ${textOf(here.server ?? '')} AND ${tableHere(table)} = ${numberOf(here.table)}`;
}

/**
 * Reads a sequence, the reign that it should have, and what cannot be seen in the server's variables. Always
 * one row; `realm` is null without such a sequence. `here_database` is the default of the connection.
 * `now_ms` is when the statement arrived, by the server's clock, in milliseconds since 1970. With `pace`,
 * `age` and `rate` say how much may have been lost; without, `has_pace` whether they could be read. Changes
 * nothing.
 */
export function readStatement(table: MysqlTable, name: string, pace = false): string {
  return `SELECT CAST(s.max_id AS char) AS max_id, s.realm, s.reigns, s.group_by, s.time_zone, s.reign_server,
  CAST(s.reign_table AS char) AS reign_table, ${pace ? PACE : `${hasPace(table)} AS has_pace`}, h.*
FROM (SELECT ${SERVER_HERE} AS here_server, CAST(${tableHere(table)} AS char) AS here_table,
    (SELECT ENGINE FROM information_schema.TABLES WHERE ${table.isThis}) AS engine, @@SESSION.autocommit AS autocommit,
    DATABASE() AS here_database, ${DURABILITY} AS durability,
    ${NOW_MS} AS now_ms) h
  LEFT JOIN ${table.quoted} s ON s.server_name = ${bytesOf(name)}`;
}

/** The columns and the values of a new sequence. The trigger adds the reign. */
function newRow({ name, startAfter, group }: NewSequence): readonly [string, string] {
  const row = {
    server_name: bytesOf(name),
    reigns: NEW_REIGN,
    ...(startAfter > 0 && { max_id: numberOf(startAfter), reserved_to: numberOf(startAfter) }),
    ...(group && { group_by: `'${group.by}'`, time_zone: `'${group.timeZone}'` }),
  };
  return [Object.keys(row).join(', '), Object.values(row).join(', ')];
}

/** Adds a sequence. Run twice or later: fails with a duplicate key, and changes nothing. */
export function createStatement(sequence: NewSequence): string {
  const [columns, values] = newRow(sequence);
  return `INSERT INTO ${mysqlTable(sequence.table).quoted} (${columns}) VALUES (${values})`;
}

/** The same for a migration: where the sequence exists, it adds nothing. */
export function createMissingStatement(sequence: NewSequence): string {
  const [columns, values] = newRow(sequence);
  const { quoted } = mysqlTable(sequence.table);
  return `INSERT INTO ${quoted} (${columns}) SELECT ${values} FROM (SELECT 1) one
WHERE NOT EXISTS (SELECT 1 FROM ${quoted} s WHERE s.server_name = ${bytesOf(sequence.name)})`;
}

/**
 * Raises a sequence to a floor, unless it is above it. It leaves the reign alone, so the next reservation
 * still skips what it has to, above the floor. `checked`: it accepts the reign as it is, because no id above
 * the floor was issued, and names it anew: processes that know it to be over use it again. Run twice or
 * later, it never lowers, but a checked one may then accept a reign that nobody has checked. Through a server
 * that was left for another, it raises only the row there. `pace`: whether the columns of the pace can be
 * used.
 */
export function setFloorStatement(
  table: MysqlTable,
  name: string,
  floor: number,
  { checked, pace }: { readonly checked: boolean; readonly pace: boolean },
): string {
  const raised = `GREATEST(max_id, ${numberOf(floor)})`;
  const lost = pace ? `, ${storeLoss(`NOT (${sameReign(table)})`)}, ${storePace('0')}` : '';
  const reign = checked
    ? `${lost}, ${storeReign(table)},
  reigns = ${WITH_NEW_REIGN}`
    : '';
  return `UPDATE ${table.quoted} SET reserved_to = ${raised}, max_id = ${raised}${reign}
WHERE server_name = ${bytesOf(name)}`;
}
