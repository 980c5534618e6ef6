import {
  type GivenValues,
  given,
  givenInteger as integer,
  literal,
  SQLITE_NOW_MS,
  type SqliteStatement,
  type SqliteTable,
  givenText as text,
  valuesOf,
  WITH_NEW_REIGN,
} from '@ids/store/sqlite';
import type { OpenGroup } from '../groups/group-clock.js';
import { GROUP_CAPACITY } from '../groups/sequence-group.js';
import { LAST_ID } from '../segment.js';
import type { NewSequence } from '../table/dialect.js';
import type { WantedSegment } from '../table/read-first.js';

/*
 * Every SQL text that runs against the segment table in daily use, as in `../postgres/statements.ts`. Each is
 * one statement with anonymous parameters, so that it runs on everything that speaks SQLite.
 */

/** What a reservation must respect. */
export interface Reservation extends WantedSegment {
  /** Who reserves, for the grant log; undefined without one. */
  readonly owner: string | undefined;
}

/** What a reservation relies on. */
export interface AsRead {
  /** The database of the connection. */
  readonly home: string;
  /** The database that the row must name. */
  readonly stored: string | null;
  /** The reigns that it must name; null for any. */
  readonly reigns: string | null;
  /** Present if the sequence had groups. */
  readonly group?: OpenGroup | undefined;
  /** How many ids to skip, because a reign begins; undefined if none does. */
  readonly skip?: number | undefined;
}

/**
 * Reserves a segment: one UPDATE, which returns what the row says then. No row matches if there is no such
 * sequence, or it is of another reign, elsewhere than expected, out of room, has other groups than expected,
 * or is to be logged without a log.
 *
 * Run twice, it reserves two segments. It is not run after its caller has given up. After a loss, as when the
 * process ends before it reads the answer, the segment is reserved and nobody uses it. On another file than a
 * moment ago, it finds no row, because the row names the file; so of any number of statements that find a
 * change of the reign, only the first finds the row.
 */
export function reserveStatement(
  table: SqliteTable,
  reservation: Reservation,
  asRead: AsRead,
): SqliteStatement {
  const { name, size, floor, maxJump, loss, expectedMaxId, within, owner } = reservation;
  const { home, stored, reigns, group, skip } = asRead;
  const values: GivenValues = {
    name: text(name),
    size: integer(size),
    base: integer(group?.base ?? 0),
    floor: integer(floor ?? 0),
    loss: integer(loss),
    skip: integer(skip ?? 0),
    max_jump: integer(maxJump),
    expected: integer(expectedMaxId),
    owner: text(owner),
    home: text(home),
    stored: text(stored),
    in_realm: text(within?.realm),
    named: text(reigns),
    by: text(group?.by),
    zone: text(group?.timeZone),
    capacity: integer(group && GROUP_CAPACITY[group.by]),
    group_limit: integer(group?.limit),
  };
  return { text: reserveText(table, values, skip !== undefined), values: valuesOf(values) };
}

/** The texts that were written. */
const usual = new WeakMap<SqliteTable, string>();
const beginningReigns = new WeakMap<SqliteTable, string>();

function reserveText(table: SqliteTable, values: GivenValues, begins: boolean): string {
  const kept = begins ? beginningReigns : usual;
  const text = kept.get(table) ?? writeReserveText(table, values, begins);
  kept.set(table, text);
  return text;
}

function writeReserveText(table: SqliteTable, values: GivenValues, begins: boolean): string {
  const highest = 'max(max_id, g.base)';
  // A null in `max` is a null, which no condition accepts.
  const above = `(max(max_id, g.base, g.floor) + max(g.skip, iif(g.floor > ${highest}, g.loss, 0)))`;
  return `UPDATE ${table.quoted}
SET max_id = ${above} + g.size, grants = grants + 1, granted = g.size, owner = g.owner, reign_server = g.home${begins ? `,\n  reigns = ${WITH_NEW_REIGN}` : ''}
FROM ${given(values)}
WHERE server_name = g.name AND reign_server IS g.stored
  AND (g.in_realm IS NULL OR realm = g.in_realm) AND (g.named IS NULL OR reigns = g.named)
  AND ${above} <= ${LAST_ID} - g.size
  AND g.floor <= ${highest} + g.max_jump
  AND (g.expected IS NULL OR max_id = g.expected)
  AND group_by IS g.by AND time_zone IS g.zone
  AND (g.by IS NULL OR (${above} < g.group_limit AND ${above} / g.capacity = (${above} + g.size) / g.capacity))
  AND (g.owner IS NULL OR EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND name = ${literal(table.trigger('log'))}))
RETURNING CAST(max_id AS text) AS max_id, realm, reigns`;
}

/**
 * Reads a sequence; no row without one. `now_ms` is the clock of the database, in milliseconds since 1970.
 * Changes nothing.
 */
export function readStatement({ quoted }: SqliteTable, name: string): SqliteStatement {
  return {
    text: `SELECT CAST(max_id AS text) AS max_id, realm, reigns, group_by, time_zone, reign_server,
  CAST(${SQLITE_NOW_MS} AS text) AS now_ms FROM ${quoted} WHERE server_name = ?`,
    values: [name],
  };
}

/** Adds a sequence, unless it exists. Returns a row if it did. Run twice or later, it changes nothing. */
export function createStatement(sequence: NewSequence, { quoted }: SqliteTable): SqliteStatement {
  const { name, startAfter, group } = sequence;
  return {
    text: `INSERT INTO ${quoted} (server_name, max_id, group_by, time_zone)
SELECT g.name, g.max_id, g.by, g.zone FROM ${given({ name: text(''), max_id: integer(0), by: text(''), zone: text('') })}
WHERE NOT EXISTS (SELECT 1 FROM ${quoted} s WHERE s.server_name = g.name)
RETURNING server_name`,
    values: [name, startAfter, group?.by ?? null, group?.timeZone ?? null],
  };
}

/** The same for a migration, which has no parameters. */
export function createMissingStatement(sequence: NewSequence, { quoted }: SqliteTable): string {
  const { name, startAfter, group } = sequence;
  const texts = [name, group?.by, group?.timeZone].map((value) =>
    value === undefined ? 'NULL' : literal(value),
  );
  const [key, by, zone] = texts;
  return `INSERT INTO ${quoted} (server_name, max_id, group_by, time_zone) SELECT ${key}, ${startAfter}, ${by}, ${zone}
WHERE NOT EXISTS (SELECT 1 FROM ${quoted} WHERE server_name = ${key})`;
}

/**
 * Writes the database into a row that names none, so that a restore from before its first reservation is
 * noticed. Run twice, later or never, ids stay unique.
 */
export function settleStatement({ quoted }: SqliteTable, name: string, home: string): SqliteStatement {
  return {
    text: `UPDATE ${quoted} SET reign_server = ? WHERE server_name = ? AND reign_server IS NULL`,
    values: [home, name],
  };
}

/**
 * Raises a sequence to a floor, unless it is above it. It leaves the reign alone, so the next reservation
 * still skips what it has to, above the floor. With `home`, it accepts the reign as it is, because no id
 * above the floor was issued, and names it anew. Run twice or later, it never lowers.
 */
export function setFloorStatement(
  { quoted }: SqliteTable,
  name: string,
  floor: number,
  home: string | undefined,
): SqliteStatement {
  const reign = home === undefined ? '' : `, reign_server = ?, reigns = ${WITH_NEW_REIGN}`;
  return {
    text: `UPDATE ${quoted} SET max_id = max(max_id, CAST(? AS integer))${reign} WHERE server_name = ?`,
    values: home === undefined ? [floor, name] : [floor, home, name],
  };
}
