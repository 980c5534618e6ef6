import { LAST_ID } from '@ids/segment';
import { GROUP_NOW } from '@ids/segment/sql';
import { quotedTable } from '@ids/store';
import {
  CHANGE,
  LANE,
  paceAfter,
  RATE,
  REIGNS_COLUMN,
  SETTINGS,
  SUPERSEDED,
  THIS_XACT,
  TIMELINES_HERE,
  TIMELINES_SINCE,
  type UsableGuard,
  withHere,
} from '@ids/store/postgres';
import { keySkipOf } from './key-skip.js';

const [REIGNS] = Object.keys(REIGNS_COLUMN);

/** The parts of a reservation that depend on whether its family has groups. In them, `f` is the family. */
interface GroupTerms {
  /** Whether the family has these. */
  readonly usable: string;
  /** Columns of the family, and how others read them. */
  readonly columns: string;
  readonly family: string;
  readonly carried: string;
  readonly answer: string;
  /** Where a key stands, or where new keys start, by the `max_id` of the row. */
  readonly highestOf: (maxId: string) => string;
  /** The condition for `size` ids above `start` to be reserved. */
  readonly fits: (start: string, size: string) => string;
  /** The condition for a new key to start so far above the others. */
  readonly begins: string;
}

const UNGROUPED: GroupTerms = {
  usable: 's.group_by IS NULL',
  columns: '',
  family: '',
  carried: '',
  answer: '',
  highestOf: (maxId) => maxId,
  fits: (start, size) => `${start} + ${size} <= ${LAST_ID}`,
  begins: '',
};

/** All ids must be in one group, and that group must have begun. */
const GROUPED: GroupTerms = {
  usable: 's.group_by IS NOT NULL',
  columns: `, ${GROUP_NOW}`,
  family: ', family f',
  carried: ', f.group_limit, f.group_capacity',
  answer: ', f.left_ms',
  highestOf: (maxId) => `GREATEST(${maxId}, f.group_base)`,
  fits: (start, size) =>
    `${start} < f.group_limit AND ${start} / f.group_capacity = (${start} + ${size}) / f.group_capacity`,
  begins: ' AND f.above / f.group_capacity = (f.above + COALESCE(w.start, 0)) / f.group_capacity',
};

/**
 * Whether its caller still waits, by the clock of the server, even if the statement has waited for a lock.
 */
const IN_TIME = `($10::int IS NULL OR pg_catalog.clock_timestamp() < pg_catalog.transaction_timestamp() + $10::int * interval '1 millisecond')`;

/**
 * Above which id a key without a row starts. One that a caller remembers was lost with its row, and nobody
 * knows in which timeline: so it skips as many as if all of them had begun since.
 */
function bornAbove(seconds: string): string {
  return `GREATEST(f.above + COALESCE(w.start, 0), w.floor + $7::bigint + COALESCE($6::bigint * ${TIMELINES_HERE}, 0)
    + COALESCE(GREATEST($13::bigint, $14::bigint), 0) * ${seconds})`;
}

const PACE_AFTER = paceAfter('w.size');
const PACE_NAMES = Object.keys(PACE_AFTER);

const SKIP_PARAMETERS = {
  failover: '$6',
  restore: '$7',
  failoverPerSecond: '$13',
  restorePerSecond: '$14',
  distance: '$15',
  perReign: '$16',
  secondsPerReign: '$17',
};

/** What is stored of the reign; if the server does not disclose its identity, the old one stays. */
const REIGN_OF: Readonly<Record<UsableGuard, readonly string[]>> = {
  full: ['system_id', 'timeline', 'database_id', 'last_xact', 'noticed', 'seconds_lost', 'reigns_lost'],
  row: ['database_id', 'last_xact', 'noticed', 'seconds_lost', 'reigns_lost'],
};

/**
 * Reserves ids of many keys of a family. A row for each key, with the ordinal `nth` of its request: `max_id`,
 * the last id that was reserved, or null; `is_new`; `is_missing`: it had no row; and `noticed`, the change of
 * the reign that it found. And of the family `realm` and its reigns, in the row of the first request, and
 * `group_by`. Without `nth`, nothing was reserved: the family has groups and none were expected, or the other
 * way round, or it is of another reign than this server, or than $12. No row: there is no such family. With
 * groups also `left_ms`: how long the one that is now lasts from the start of the statement on, in
 * milliseconds.
 *
 * $1 family, $2 keys in hexadecimal digits, $3 sizes, $4 floors, $5 what new keys start after, both 0 without
 * one: servers with `array_nulls` off read no null in an array; $6 and $7 how
 * many ids are skipped after a failover and after a restore, or null to refuse; $8 how many keys may begin,
 * the first ones, or null; $9 how long to wait for a lock, and $10 until when to begin, in milliseconds, or
 * null; $11 and $12 the `realm` and the `reigns` that the family must have, or null for any; $13 to $17 how a
 * skip grows: see `KeySkipParameters`.
 *
 * `log`: the grant log, if it is written; then $18 is who reserves.
 *
 * `grouped`: whether the family has groups. All that is computed of the clock is computed once, in the row of
 * the family, for the moment at which the statement arrived. A statement that waits for a row over midnight
 * reserves ids of the day that has ended, unless others have moved the key on.
 *
 * `wait`: whether it waits for rows that others have locked. Without it, they are left out, and the statement
 * waits for nothing but a key that somebody else is just making. Rows are locked in the order of their keys,
 * so that two such statements never wait for each other.
 *
 * A key is new if the snapshot of the statement has no row of it. So one that is deleted meanwhile is not
 * made anew by it; and where a new one starts is read from the row of its family as it is now, and locked,
 * which the deletion of a key raises. That lock comes first everywhere.
 *
 * Twice: ids twice. Later than its caller waits: nothing. After the loss of its answer: ids that nobody uses.
 * On a former primary that still answers: nothing, for callers that know of its successor. For the others,
 * ids below those that the successor skips, of keys which it knows, and of new ones, since the successor
 * raises its family before it reserves anything.
 */
export function reserveStatement(
  names: { readonly segments: string; readonly keys: string },
  guard: UsableGuard,
  {
    wait,
    log,
    grouped,
  }: { readonly wait: boolean; readonly log: string | undefined; readonly grouped: boolean },
): string {
  const { usable, columns, family, carried, answer, highestOf, fits, begins } = grouped ? GROUPED : UNGROUPED;
  const segments = quotedTable(names.segments).table;
  const keys = quotedTable(names.keys).table;
  const highest = highestOf('s.max_id');
  const lost = `w.floor > ${highest}`;
  // What was lost of earlier groups does not matter.
  const skip = keySkipOf(SKIP_PARAMETERS, lost, grouped);
  const born = bornAbove(grouped ? '0' : 'f.seconds_lost');
  // A row that was locked is as it is now, so what was computed from it still holds when it is updated.
  // The family is as it was when the statement arrived: others may have stored a later count of lost reigns.
  // Each key is looked up by itself, which OFFSET and LATERAL enforce, and updated by ON CONFLICT. The plan
  // of joins depends on what the server thinks of the size of the table, and is kept while a new table grows:
  // then each statement reads all keys of the family. Arrays of an unknown length, from subqueries, keep the
  // server from making a plan for each call.
  return `
${withHere(guard).trimEnd()}, time_limit AS MATERIALIZED (
  SELECT pg_catalog.set_config('lock_timeout', COALESCE($9::int::text, current_setting('lock_timeout')), true), ${SETTINGS}
), family AS MATERIALIZED (
  SELECT s.realm, s.${REIGNS}, s.group_by, s.seconds_lost, s.reigns_lost,
    ${usable} AND ${CHANGE} IS NULL AND ${SUPERSEDED} IS NOT TRUE
      AND ($11::text IS NULL OR s.realm::text = $11::text) AND ($12::text IS NULL OR s.${REIGNS} = $12::text) AS usable${columns}
  FROM here, time_limit, ${segments} s WHERE s.server_name = $1
), wanted AS MATERIALIZED (
  SELECT w.nth, decode(w.hex, 'hex') AS sequence_key, w.size, NULLIF(w.floor, 0) AS floor, w.start
  FROM family f, unnest((SELECT $2::text[]), (SELECT $3::bigint[]), (SELECT $4::bigint[]), (SELECT $5::bigint[])) WITH ORDINALITY AS w(hex, size, floor, start, nth)
  WHERE f.usable
), missing AS MATERIALIZED (
  SELECT w.nth FROM wanted w
  WHERE NOT EXISTS (SELECT FROM ${keys} s WHERE s.family = $1 AND s.sequence_key = w.sequence_key OFFSET 0)
), start AS MATERIALIZED (
  SELECT ${highestOf('s.max_id')} AS above, s.seconds_lost, s.reigns_lost${carried} FROM ${segments} s${family}
  WHERE s.server_name = $1 AND $8::bigint IS DISTINCT FROM 0 AND EXISTS (SELECT FROM missing) FOR SHARE OF s
), due AS MATERIALIZED (
  SELECT w.nth, w.sequence_key, w.size, w.floor FROM wanted w, (SELECT count(*) FROM start) locked_first ORDER BY w.sequence_key
), free AS MATERIALIZED (
  SELECT w.sequence_key, ${CHANGE} AS change, ${SUPERSEDED} AS superseded,
    GREATEST(${highest}, w.floor) + ${skip} AS above, w.size, f.seconds_lost,
    GREATEST(f.reigns_lost, s.reigns_lost) AS reigns_lost,
    ${Object.entries(PACE_AFTER)
      .map(([column, value]) => `${value} AS ${column}`)
      .join(', ')}${carried}
  FROM here, family f, due w, LATERAL (
    SELECT s.max_id, s.xmin, s.${[...REIGN_OF.full, ...PACE_NAMES].join(', s.')} FROM ${keys} s
    WHERE s.family = $1 AND s.sequence_key = w.sequence_key FOR NO KEY UPDATE OF s${wait ? '' : ' SKIP LOCKED'}
  ) s
), raised AS (
  INSERT INTO ${keys} AS s (family, sequence_key, max_id, system_id, timeline, database_id, last_xact, noticed, seconds_lost, reigns_lost, ${PACE_NAMES.join(', ')})
  SELECT $1, f.sequence_key, f.above + f.size, here_id, here_timeline, here_database, ${THIS_XACT}, f.change, f.seconds_lost, f.reigns_lost, f.${PACE_NAMES.join(', f.')}
  FROM here, free f
  WHERE ${fits('f.above', 'f.size')} AND f.superseded IS NOT TRUE AND ${IN_TIME}
  ON CONFLICT (family, sequence_key) DO UPDATE SET max_id = excluded.max_id${[...REIGN_OF[guard], ...PACE_NAMES].map((name) => `, ${name} = excluded.${name}`).join('')}
  RETURNING sequence_key, max_id, noticed
), beginning AS MATERIALIZED (
  SELECT w.sequence_key, ${born} + w.size AS max_id, w.size, f.seconds_lost, f.reigns_lost
  FROM here, start f, missing m JOIN wanted w USING (nth)
  WHERE ${fits(born, 'w.size')}${begins}
    AND (w.floor IS NULL OR $7::bigint IS NOT NULL) AND ${IN_TIME}
  ORDER BY w.nth LIMIT $8::bigint
), born AS (
  INSERT INTO ${keys} (family, sequence_key, max_id, system_id, timeline, database_id, last_xact, seconds_lost, reigns_lost, minute_ids)
  SELECT $1, b.sequence_key, b.max_id, here_id, here_timeline, here_database, ${THIS_XACT}, b.seconds_lost, b.reigns_lost, b.size
  FROM here, beginning b ORDER BY b.sequence_key
  ON CONFLICT DO NOTHING
  RETURNING sequence_key, max_id
)${log === undefined ? '' : logged(log)}
SELECT CASE WHEN nth > 1 THEN NULL ELSE f.realm END AS realm, CASE WHEN nth > 1 THEN NULL ELSE f.${REIGNS} END AS ${REIGNS},
  f.group_by, nth, COALESCE(r.max_id, b.max_id) AS max_id, b.max_id IS NOT NULL AS is_new, m.nth IS NOT NULL AS is_missing, r.noticed${answer}
FROM family f LEFT JOIN wanted w ON true LEFT JOIN missing m USING (nth) LEFT JOIN raised r USING (sequence_key)
  LEFT JOIN born b USING (sequence_key)`;
}

/** An entry in the grant log for each key of the statement: both are committed, or neither. */
function logged(log: string): string {
  return `, logged AS (
  INSERT INTO ${quotedTable(log).table} (family, sequence_key, low, high, owner)
  SELECT $1, w.sequence_key, g.max_id - w.size + 1, g.max_id, $18::text
  FROM (SELECT sequence_key, max_id FROM raised UNION ALL SELECT sequence_key, max_id FROM born) g
    JOIN wanted w USING (sequence_key)
)`;
}

/** Why a key that has a row got no ids. $1 family, $2 key in hexadecimal digits. No row: it has none. */
export function keyStatement(
  names: { readonly segments: string; readonly keys: string },
  guard: UsableGuard,
): string {
  return `
${withHere(guard)}SELECT s.max_id, ${CHANGE} AS change, ${TIMELINES_SINCE}::int AS timelines, ${SUPERSEDED} AS superseded, ${LANE} AS lane, ${RATE} AS rate,
  f.seconds_lost - s.seconds_lost AS seconds, f.reigns_lost - s.reigns_lost AS reigns
FROM here, ${quotedTable(names.keys).table} s LEFT JOIN ${quotedTable(names.segments).table} f ON f.server_name = s.family
WHERE s.family = $1 AND s.sequence_key = decode($2, 'hex')`;
}

/**
 * Deletes a key, and raises its family to it: new keys start above its ids. $1 family, $2 key in hexadecimal
 * digits. `raise`: otherwise the family is left alone. A row if there was one to delete, and with `raise` if
 * it is of the reign of this server, so that it has no ids which its row does not show.
 *
 * Twice, or later: a key that was made since is deleted, too, and the next one starts above that. After the
 * loss of the answer: it is deleted. On a former primary that still answers: deleted there only.
 */
export function deleteStatement(
  names: { readonly segments: string; readonly keys: string },
  guard: UsableGuard,
  raise: boolean,
): string {
  const segments = quotedTable(names.segments).table;
  const keys = quotedTable(names.keys).table;
  return `
${withHere(guard).trimEnd()}, allowed AS MATERIALIZED (
  SELECT pg_catalog.set_config('ids.delete_key', concat($1::text, ' ', $2::text), true), ${SETTINGS}
), family AS MATERIALIZED (
  SELECT s.server_name FROM allowed, ${segments} s WHERE s.server_name = $1 FOR UPDATE OF s
), gone AS (
  DELETE FROM ${keys} s USING here, family f
  WHERE s.family = f.server_name AND s.sequence_key = decode($2, 'hex')${raise ? ` AND ${CHANGE} IS NULL AND ${SUPERSEDED} IS NOT TRUE` : ''}
  RETURNING s.max_id
), raised AS (
  UPDATE ${segments} s SET max_id = GREATEST(s.max_id, gone.max_id) FROM gone WHERE s.server_name = $1 AND ${raise}
)
SELECT max_id FROM gone`;
}
