import { IdError } from '@ids/core';
import { GROUP_LIMIT, type GroupTerms, highestOf, zoneOfPostgres } from '../groups/group-sql.js';
import { isGroupUnit, type SequenceGroup } from '../groups/sequence-group.js';
import { LAST_ID } from '../segment.js';
import type { SequenceState } from '../segment-source.js';
import type { Row } from './executor.js';
import {
  CHANGE,
  REIGN_COLUMNS,
  REIGN_TRIGGER,
  type ReignGuard,
  skipOf,
  storeReign,
  THIS_XACT,
  withHere,
} from './reign.js';
import { quotedTable } from './table-name.js';

/*
 * Every SQL text that runs against the segment table in daily use. Values travel as parameters; only the
 * validated table name is part of the text.
 */

/**
 * Settings that hold until the statement's own commit, whatever the role, the database or a pooler set. With
 * `synchronous_commit` off, a crash of the server loses reservations whose ids were already issued; with
 * `client_min_messages` above `warning`, the server does not report that a commit might not have been
 * replicated.
 */
export const SETTINGS = ['synchronous_commit = on', 'client_min_messages = warning']
  .map((setting) => setting.split(' = '))
  .map(([name, value]) => `pg_catalog.set_config('${name}', '${value}', true)`)
  .join(', ');

/**
 * The two ways to reserve a segment. Both return `max_id`: the segment is `(max_id - $2, max_id]`; `left_ms`,
 * null without groups; and `noticed`, the change of the reign. Run twice, they reserve two segments. With a
 * reign guard, the parameters before the last one say how many ids to skip after a failover and after a
 * restore, or null to refuse. The last parameter is the time limit, as `lockLimit` returns it.
 */
export interface Reservations {
  /**
   * $1 name, $2 size, $3 the `max_id` that it must follow, or null for any. No row: no such sequence, another
   * `max_id`, no room in the group, groups that `UNGROUPED` does not expect, refused, or too late.
   */
  readonly reserve: string;
  /**
   * Reserves above a floor. $1 name, $2 size, $3 floor, $4 how far `max_id` may be raised to reach the floor.
   * No row: as above, or the floor is too far.
   */
  readonly heal: string;
}

/** The reservations, with as much of the reign in them as `guard` allows. */
export function reservationsFor(tableName: string, guard: ReignGuard, groups: GroupTerms): Reservations {
  const { table } = quotedTable(tableName);
  const guarded = guard !== 'off';
  // Sets `max_id` `$2` ids above `start` and above the ids that a change of the reign skips.
  const raise = (start: string, condition: string, firstSkip: number): string => {
    const skip = skipOf(`$${firstSkip}`, `$${firstSkip + 1}`);
    const limit = `$${guarded ? firstSkip + 2 : firstSkip}`;
    const above = guarded ? `(${start} + ${skip})` : start;
    return `
${guarded ? `${withHere(guard).trimEnd()}, ` : 'WITH '}${timeLimitCte(limit)}
UPDATE ${table} AS s SET max_id = ${above} + $2::bigint${storeReign(guard, CHANGE)}
FROM ${guarded ? 'here, ' : ''}time_limit
WHERE server_name = $1 AND ${condition} AND ${groups.fits(above, '$2::bigint')}${guarded ? `\n  AND ${skip} IS NOT NULL` : ''}
  AND ${withinTimeLimit(limit)}
RETURNING max_id, ${groups.leftMs} AS left_ms, ${guarded ? 'noticed' : 'NULL AS noticed'}, ${SETTINGS}`;
  };
  return {
    reserve: raise(groups.highestOf(), '($3::bigint IS NULL OR max_id = $3::bigint)', 4),
    heal: raise(groups.highestOf('$3::bigint'), `$3::bigint <= ${groups.highestOf()} + $4::bigint`, 5),
  };
}

/** The other statements about one sequence. */
export interface Statements {
  /**
   * What the next reservation would notice. $1 name. Needs a guard. One row, even without such a sequence.
   */
  readonly change: string;
  /**
   * Adds a sequence. $1 name, $2 the id after which it starts, $3 and $4 unit and zone of its groups, or
   * null. No row: it already exists.
   */
  readonly create: string;
  /**
   * Raises a sequence to a floor, unless it is above it. Whoever sets a floor has checked the table, so the
   * reign is accepted as it is. $1 name, $2 floor. No row: no such sequence.
   */
  readonly setFloor: string;
}

/** The statements, with as much of the reign in them as `guard` allows. */
export function statementsFor(tableName: string, guard: ReignGuard): Statements {
  const { table } = quotedTable(tableName);
  const guarded = guard !== 'off';
  const here = withHere(guard);
  return {
    change: `
${here}SELECT ${CHANGE} AS change FROM here LEFT JOIN ${table} s ON s.server_name = $1`,
    create: `
${here}INSERT INTO ${table} (server_name, max_id, group_by, time_zone${guarded ? ', system_id, timeline, last_xact' : ''})
SELECT $1::text, $2::bigint, $3::text, $4::text${guarded ? `, here_id, here_timeline, ${THIS_XACT} FROM here` : ''}
ON CONFLICT (server_name) DO NOTHING
RETURNING max_id, realm, now() AT TIME ZONE $4::text, ${SETTINGS}`,
    setFloor: `
${here}UPDATE ${table} AS s SET max_id = GREATEST(max_id, $2::bigint)${storeReign(guard, 'NULL')} ${guarded ? 'FROM here ' : ''}WHERE server_name = $1
RETURNING max_id, realm, ${SETTINGS}`,
  };
}

/*
 * The time limit of a reservation. If the client has given up, the reservation must not be made, because
 * nobody would use it. So the server gives up first.
 *
 * `lock_timeout` limits each wait for a lock of the row. It is set in a CTE, which runs before the UPDATE
 * locks its row, and holds until the statement's own commit. There are two such waits, one after the other:
 * one for the row and one for its place in the queue. So the client allows for twice as much. A lock of the
 * whole table is waited for before anything runs, and a row that others changed is locked again. So the time
 * since the statement arrived is checked as well, each time the row is evaluated. The rest of the client's
 * time is for the two ways over the network.
 */

/** The share of the client's time that one wait for a lock may take. */
const SHARE_OF_ONE_LOCK = 1 / 3;
const LONGEST_MS = 86_400_000;

/** The value of the parameter for a client that waits for another `ms` milliseconds; null: no limit. */
export function lockLimit(ms: number | undefined): number | null {
  if (ms === undefined) return null;
  return Math.min(LONGEST_MS, Math.max(1, Math.floor(ms * SHARE_OF_ONE_LOCK)));
}

/** A CTE `time_limit`, without `WITH`, that the UPDATE must name in its `FROM`. */
function timeLimitCte(parameter: string): string {
  const limit = `COALESCE(${parameter}::int::text, current_setting('lock_timeout'))`;
  return `time_limit AS MATERIALIZED (SELECT pg_catalog.set_config('lock_timeout', ${limit}, true))`;
}

/**
 * Whether there is time left. `transaction_timestamp()` is when the statement arrived, even if it has waited
 * for its table since.
 */
function withinTimeLimit(parameter: string): string {
  return `(${parameter}::int IS NULL OR pg_catalog.clock_timestamp()
    < pg_catalog.transaction_timestamp() + 2 * ${parameter}::int * interval '1 millisecond')`;
}

const REIGN_COLUMN_NAMES = Object.keys(REIGN_COLUMNS)
  .map((name) => `'${name}'`)
  .join(', ');

/**
 * The facts about the columns of the reign, for a table `c`: whether all of them exist, and whether the role
 * may use them. `reign_usable` is null without the columns.
 */
export const REIGN_FACTS = `
  (SELECT count(*) = ${Object.keys(REIGN_COLUMNS).length} FROM pg_attribute a
    WHERE a.attrelid = c.oid AND a.attname IN (${REIGN_COLUMN_NAMES}) AND NOT a.attisdropped) AS reign_columns,
  (SELECT bool_and(has_column_privilege(c.oid, a.attnum, 'SELECT')
      AND (a.attname = 'xmin' OR has_column_privilege(c.oid, a.attnum, 'UPDATE'))) FROM pg_attribute a
    WHERE a.attrelid = c.oid AND a.attname IN (${REIGN_COLUMN_NAMES}, 'xmin') AND NOT a.attisdropped) AS reign_usable`;

/** Reads only the facts about the reign. $1 quoted table. No row: no such table. */
export const REIGN_FACTS_STATEMENT = `
SELECT ${REIGN_FACTS} FROM pg_class c WHERE c.oid = to_regclass($1::text)`;

/** The schema of a table. */
function foundIn(table: string): string {
  return `(SELECT n.nspname::text FROM pg_class f JOIN pg_namespace n ON n.oid = f.relnamespace WHERE f.oid = ${table})`;
}

/**
 * Reads a sequence, whether the store is durable, and what its guards rely on. $1 name, $2 quoted table, $3
 * quoted log table or null. `max_id` and `realm` are null: no such sequence. `found_in` and `log_found_in`
 * are the schemas of the two tables.
 */
export function describeStatement(tableName: string): string {
  const { table } = quotedTable(tableName);
  return `
SELECT s.max_id, s.realm, s.group_by, s.time_zone, ${highestOf()} AS stands_at, ${GROUP_LIMIT} AS group_limit,
  c.relpersistence, pg_is_in_recovery() AS in_recovery, current_setting('fsync') AS fsync,
  current_setting('synchronous_standby_names') AS standbys,
  (SELECT l.relpersistence FROM pg_class l WHERE l.oid = to_regclass($3::text)) AS log_persistence,
  ${foundIn('c.oid')} AS found_in, ${foundIn('to_regclass($3::text)')} AS log_found_in,
  current_setting('transaction_read_only') AS read_only,
  current_setting('session_replication_role') AS replication_role,
  (SELECT array_agg(t.tgname::text) FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgenabled IN ('O', 'A')
    AND t.tgname IN ('id_segment_guard', 'id_segment_guard_truncate', '${REIGN_TRIGGER}')) AS guards,
  (SELECT array_agg(n.nspname::text ORDER BY p.place) FROM unnest(current_schemas(false)) WITH ORDINALITY p(name, place)
    JOIN pg_namespace n ON n.nspname = p.name JOIN pg_class o ON o.relnamespace = n.oid AND o.relname = c.relname) AS schemas,
  ${REIGN_FACTS}
FROM pg_class c LEFT JOIN ${table} s ON s.server_name = $1
WHERE c.oid = $2::text::regclass`;
}

/** A row of the segment table. */
export function readSequence(row: Row): SequenceState {
  const group = readGroup(row);
  return { realm: String(row.realm), maxId: readBigint(row.max_id), ...(group !== undefined && { group }) };
}

/** Drivers return a BIGINT as a string, a bigint or, with a parser of the user's own, a number. */
export function readBigint(value: unknown): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0 || String(number) !== String(value)) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `max_id must be a whole number from 0 to ${LAST_ID}, got ${String(value)}`,
    );
  }
  return number;
}

function readGroup({ group_by: by, time_zone: zone }: Row): SequenceGroup | undefined {
  return isGroupUnit(by) ? { by, timeZone: zoneOfPostgres(String(zone)) } : undefined;
}
