import { quotedTable, type Row } from '@ids/store';
import {
  acceptedReign,
  CHANGE,
  CHANGED,
  followingReign,
  HERE,
  LANE,
  newReign,
  PACE,
  PACE_FACTS,
  REIGN_COLUMNS,
  REIGNS_COLUMN,
  type ReignGuard,
  reignFacts,
  SETTINGS,
  SUPERSEDED,
  storeLoss,
  storePace,
  storeReign,
  storeReigns,
  THIS_XACT,
  TIMELINES_SINCE,
  TRIGGER_FACTS,
  withHere,
} from '@ids/store/postgres';
import type { SequenceState } from '../segment-source.js';
import { sequenceIn } from '../table/sequence-row.js';
import { GROUP_LIMIT, GROUPED, type GroupTerms, highestOf, readGroup } from './groups.js';

/*
 * Every SQL text that runs against the segment table in daily use. Values travel as parameters; only the
 * validated table name is part of the text.
 */

/**
 * The two ways to reserve a segment. Both return `max_id`: the segment is `(max_id - $2, max_id]`; `was`,
 * where the row stood before; `left_ms`, null without groups; `realm`; and `reigns`. $4 and $5 are the
 * `realm` and the `reigns` that the row must have, or null for any. The last parameter is the time limit, as
 * `lockLimit` returns it.
 *
 * Twice: two segments, but one of those that change the reign. Later than its caller waits: nothing. After
 * the loss of its answer: the segment is reserved, and nobody uses it. On a former primary that still
 * answers: callers that know of the later reign name it, and find no row; what the others reserve is below
 * what the later reign has skipped.
 */
export interface Reservations {
  /**
   * In the reign in which the row was written. $1 name, $2 size, $3 the `max_id` that it must follow, or null
   * for any. No row: no such sequence, another `max_id`, realm or reign, no room in the group, groups that
   * `UNGROUPED` does not expect, or too late.
   */
  readonly reserve: string;
  /**
   * Above a floor, in a row that was read a moment ago, or into a new reign. $1 name, $2 size, $3 floor or
   * null, $6 how far `max_id` may be raised to reach it, $7 how many ids to skip if the row is below it. With
   * a reign guard, $8 and $9 are `version` and `here` as `Statements.change` returns them, and then $7 is
   * skipped in any case; or null for a row in its own reign. No row: as above, or it is another version or
   * server by now, or the floor is too far.
   */
  readonly raise: string;
}

/** Names the version of a row. A copy of the server's disk counts its transactions as the server did. */
const VERSION = `concat_ws('/', s.xmin::text, s.max_id)`;

/** How much of what a row remembers besides `max_id` can be used. */
export interface RowGuards {
  readonly guard: ReignGuard;
  /** Whether it counts how fast ids are reserved. */
  readonly pace: boolean;
}

/** The reservations, with as much of the reign in them as the guards allow. */
export function reservationsFor(
  tableName: string,
  { guard, pace }: RowGuards,
  groups: GroupTerms,
): Reservations {
  const { table } = quotedTable(tableName);
  const guarded = guard !== 'off';
  const size = '$2::bigint';
  const update = (above: string, condition: string, begins: string | undefined, limit: string): string => `
${guarded ? `${withHere(guard).trimEnd()}, ` : 'WITH '}${timeLimitCte(limit)}
UPDATE ${table} AS s SET max_id = ${above} + ${size}${storeReign(guard, 'NULL')}${guarded ? `, ${storeReigns(begins)}` : ''}${pace ? `${storePace(size)}${begins === undefined ? '' : storeLoss(begins)}` : ''}
FROM ${guarded ? 'here, ' : ''}time_limit
WHERE server_name = $1 AND ${condition} AND COALESCE(realm::text = $4, true) AND ${guarded ? '(reigns = $5 OR $5 IS NULL)' : '$5::text IS NULL'}
  AND ${groups.fits(above, size)} AND ${withinTimeLimit(limit)}
RETURNING max_id, (SELECT w.max_id FROM ${table} w WHERE w.server_name = $1) AS was, ${groups.leftMs} AS left_ms, realm, ${guarded ? 'reigns' : 'NULL AS reigns'}, ${SETTINGS}`;
  const same = `(${CHANGED}) IS NOT TRUE`;
  const highest = groups.highestOf();
  const below = `$3::bigint > ${highest}`;
  const skip = `CASE WHEN ${guarded ? '$8::text IS NOT NULL OR ' : ''}${below} THEN $7::bigint ELSE 0 END`;
  const asRead = `
  CASE WHEN $8::text IS NULL THEN ${same} ELSE ${VERSION} = $8 AND ${HERE} = $9 AND ${SUPERSEDED} IS NOT TRUE END`;
  return {
    reserve: update(
      highest,
      `max_id = COALESCE($3, max_id)${guarded ? ` AND ${same}` : ''}`,
      undefined,
      '$6',
    ),
    raise: update(
      `(${groups.highestOf('$3::bigint')} + ${skip})`,
      [
        `COALESCE($3::bigint <= ${highest} + $6::bigint, true)`,
        `(${skip}) IS NOT NULL`,
        ...(guarded ? [asRead] : []),
      ].join(' AND '),
      CHANGED,
      guarded ? '$10' : '$8',
    ),
  };
}

/** The other statements about one sequence. */
export interface Statements {
  /**
   * What the next reservation would notice: `change`; `timelines`, how many have begun since; `max_id`,
   * `realm` and `reigns` of the row; and `superseded_by`, the timeline in the row if it has followed the one
   * of this server, `here_timeline`. By `version` and `here`, a statement can rely on all that. `lane`, and
   * `age` and `rate`, which are null without a pace, say how much may have been lost. $1 name. Needs a guard.
   * One row, even without such a sequence.
   */
  readonly change: string;
  /**
   * Adds a sequence. $1 name, $2 the id after which it starts, $3 and $4 unit and zone of its groups, or
   * null. No row: it already exists.
   */
  readonly create: string;
  /**
   * Raises a sequence to a floor, unless it is above it. It leaves the reign alone, so the next reservation
   * still skips what it has to, above the floor. $1 name, $2 floor. No row: no such sequence. Run twice or
   * later, it changes nothing more; through a server that was left for another, it raises only the row there.
   */
  readonly setFloor: string;
  /**
   * The same, and accepts the reign as it is, and names it anew: processes that know it to be over use it
   * again. $3, with a guard: the reigns that it follows besides, or null. Whoever runs it has checked that no
   * id above the floor was issued. Run later, it may accept a reign that nobody has checked.
   */
  readonly setCheckedFloor: string;
  /**
   * Makes a former primary the primary again: raises its row to `$2` and by `$6` above that, and names a
   * reign that follows `$5` besides those in the row. $1 name; $3 and $4, the `realm` and the `reigns` that
   * the row must have; $7 the time limit, as in `Reservations`; $8 how many reigns are lost, which its keys
   * skip, too. It reserves nothing. No row: another origin,
   * a change of the reign that nobody noticed yet, no room in the group, or too late. Run twice, it finds
   * other reigns, and on another server as well. Needs a guard.
   */
  readonly reinstate: string;
}

/** The statements for a table. They compare and store as much of the reign as `guard` allows. */
export function statementsFor(tableName: string, { guard, pace }: RowGuards): Statements {
  const { table } = quotedTable(tableName);
  const guarded = guard !== 'off';
  const here = withHere(guard);
  return {
    change: `
${here}SELECT ${CHANGE} AS change, ${TIMELINES_SINCE}::int AS timelines, CASE WHEN ${SUPERSEDED} THEN s.timeline END AS superseded_by, here_timeline, s.max_id, s.realm, s.reigns,
  ${VERSION} AS version, ${HERE} AS here, ${LANE} AS lane, ${pace ? PACE : 'NULL AS age, NULL AS rate'}
FROM here LEFT JOIN ${table} s ON s.server_name = $1`,
    create: `
${here}INSERT INTO ${table} (server_name, max_id, group_by, time_zone${guarded ? ', system_id, timeline, database_id, last_xact, reigns' : ''})
SELECT $1::text, $2::bigint, $3::text, $4::text${guarded ? `, here_id, here_timeline, here_database, ${THIS_XACT}, ${newReign()} FROM here` : ''}
ON CONFLICT (server_name) DO NOTHING
RETURNING max_id, realm, now() AT TIME ZONE $4::text, ${SETTINGS}`,
    setFloor: `
UPDATE ${table} AS s SET max_id = GREATEST(max_id, $2::bigint) WHERE server_name = $1
RETURNING max_id, realm, ${SETTINGS}`,
    setCheckedFloor: `
${here}UPDATE ${table} AS s SET max_id = GREATEST(max_id, $2::bigint)${storeReign(guard, 'NULL')}${guarded ? `, ${acceptedReign('$3')}` : ''}${pace ? `${storePace('0')}${storeLoss(CHANGED)}` : ''} ${guarded ? 'FROM here ' : ''}WHERE server_name = $1
RETURNING max_id, realm, ${SETTINGS}`,
    reinstate: `
${here.trimEnd()}, ${timeLimitCte('$7')}
UPDATE ${table} AS s SET max_id = ${highestOf('$2::bigint')} + $6::bigint${storeReign(guard, 'NULL')}, ${followingReign('$5')}${pace ? ', reigns_lost = s.reigns_lost + $8::bigint' : ''}
FROM here, time_limit
WHERE server_name = $1 AND realm::text = $3 AND reigns = $4 AND $8::bigint IS NOT NULL AND ${GROUPED.fits(`(${highestOf('$2::bigint')} + $6::bigint)`, '1')}
  AND (${CHANGED}) IS NOT TRUE AND ${SUPERSEDED} IS NOT TRUE
  AND ${withinTimeLimit('$7')}
RETURNING max_id, realm, reigns, ${SETTINGS}`,
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

const SEGMENT_REIGN_FACTS = `${reignFacts({ ...REIGN_COLUMNS, ...REIGNS_COLUMN })},${PACE_FACTS}`;

/** Reads only the facts about the reign. $1 quoted table. No row: no such table. */
export const REIGN_FACTS_STATEMENT = `
SELECT ${SEGMENT_REIGN_FACTS} FROM pg_class c WHERE c.oid = to_regclass($1::text)`;

/** The schema of a table. */
function foundIn(table: string): string {
  return `(SELECT n.nspname::text FROM pg_class f JOIN pg_namespace n ON n.oid = f.relnamespace WHERE f.oid = ${table})`;
}

/**
 * Reads a sequence, whether the store is durable, and what its guards rely on. $1 name, $2 quoted table, $3
 * quoted log table or null. `max_id` and `realm` are null: no such sequence. `found_in` and `log_found_in`
 * are the schemas of the two tables. `reigns` is there if `withReigns`: if the table has the column and the
 * role may read it.
 */
export function describeStatement(tableName: string, withReigns: boolean): string {
  const { table } = quotedTable(tableName);
  return `
SELECT s.max_id, s.realm, s.group_by, s.time_zone, ${highestOf()} AS stands_at, ${GROUP_LIMIT} AS group_limit,
  c.relpersistence, pg_is_in_recovery() AS in_recovery, current_setting('fsync') AS fsync,
  current_setting('synchronous_standby_names') AS standbys,
  (SELECT l.relpersistence FROM pg_class l WHERE l.oid = to_regclass($3::text)) AS log_persistence,
  ${foundIn('c.oid')} AS found_in, ${foundIn('to_regclass($3::text)')} AS log_found_in,
  current_setting('transaction_read_only') AS read_only,
  ${TRIGGER_FACTS},
  (SELECT array_agg(n.nspname::text ORDER BY p.place) FROM unnest(current_schemas(false)) WITH ORDINALITY p(name, place)
    JOIN pg_namespace n ON n.nspname = p.name JOIN pg_class o ON o.relnamespace = n.oid AND o.relname = c.relname) AS schemas,
  ${withReigns ? 's.reigns, ' : ''}${SEGMENT_REIGN_FACTS}
FROM pg_class c LEFT JOIN ${table} s ON s.server_name = $1
WHERE c.oid = $2::text::regclass`;
}

/** A row of the segment table. */
export function readSequence(row: Row): SequenceState {
  return sequenceIn(row, readGroup(row));
}
