import { quotedTable } from '@ids/store';
import {
  CHANGE,
  LANE,
  PACE,
  SETTINGS,
  SUPERSEDED,
  storeReign,
  THIS_XACT,
  TIMELINES_SINCE,
  type UsableGuard,
  withHere,
} from '@ids/store/postgres';

interface Names {
  readonly segments: string;
  readonly keys: string;
}

/** The row of a key. $1 family, $2 key in hexadecimal digits. */
const IS_KEY = `s.family = $1 AND s.sequence_key = decode($2, 'hex')`;

/**
 * Where a key and its family stand: a row each, `what` it is of, with `change`, and what is needed to say how
 * many ids the next reservation skips for it. $1 and $2 as above. Changes nothing. Each answer is that of the
 * server that was asked: a former primary that still answers shows the rows that it has.
 */
export function standsStatement(names: Names, guard: UsableGuard): string {
  const row = (what: string, table: string, which: string): string =>
    `SELECT '${what}' AS what, s.max_id, ${CHANGE} AS change, ${TIMELINES_SINCE} AS timelines, ${SUPERSEDED} AS superseded,
  s.seconds_lost, s.reigns_lost, ${LANE} AS lane, ${PACE}
FROM here, ${quotedTable(table).table} s WHERE ${which}`;
  const ofFamily = '$2::text IS NOT NULL AND s.server_name = $1';
  return `
${withHere(guard)}${row('family', names.segments, ofFamily)}
UNION ALL ${row('key', names.keys, IS_KEY)}`;
}

/**
 * Who has locked the row of a key: a row with `holder`, for people, or none. A row that several transactions
 * share names none of them.
 */
export function holderStatement(keys: string): string {
  return `
SELECT concat_ws(', ', CASE WHEN l.pid IS NULL THEN 'a prepared transaction' ELSE concat('process ', l.pid) END,
  'role ' || a.usename, 'application ' || NULLIF(a.application_name, ''), a.state,
  'in a transaction since ' || to_char(a.xact_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')) AS holder
FROM ${quotedTable(keys).table} s
  JOIN pg_catalog.pg_locks l ON l.locktype = 'transactionid' AND l.transactionid = s.xmax AND l.granted
  LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
WHERE ${IS_KEY}`;
}

/**
 * Raises a key to a floor, unless it is above it. $1 and $2 as above, $3 floor. No row: the key has none. It
 * leaves the reign alone, so the next reservation still skips what it has to, above the floor; or `checked`
 * stores this one. It waits for whoever has locked the row.
 *
 * Twice or later: nothing more, but with `checked` it may accept a reign that nobody has checked. After the
 * loss of the answer: raised, or to be repeated. On a former primary that still answers: raised there only.
 */
export function raiseKeyStatement({ segments, keys }: Names, guard: UsableGuard, checked: boolean): string {
  const reigns = `(SELECT f.reigns_lost FROM ${quotedTable(segments).table} f WHERE f.server_name = s.family)`;
  return `
${withHere(guard)}UPDATE ${quotedTable(keys).table} s SET max_id = GREATEST(s.max_id, $3::bigint)${checked ? `${storeReign(guard, 'NULL')}, reigns_lost = COALESCE(${reigns}, s.reigns_lost)` : ''}
FROM here WHERE ${IS_KEY}
RETURNING s.max_id, ${SETTINGS}`;
}

/**
 * Makes the row of a new key, at a floor or where new keys start. Parameters as above. One row with `max_id`,
 * null if somebody else has made the key; no row: there is no such family. That one is locked as it is for a
 * new key in a reservation.
 *
 * While a change of the reign is pending in the family, the key may be one that was lost. So unless it is
 * `checked`, it gets the reign of the family, and its next reservation skips as much as that of the family.
 *
 * Twice: nothing more. Later: as a reservation that makes the key later. After the loss of the answer: made,
 * or to be repeated. On a former primary that still answers: made there only.
 */
export function bearKeyStatement({ segments, keys }: Names, guard: UsableGuard, checked: boolean): string {
  const reign = {
    system_id: 'here_id',
    timeline: 'here_timeline',
    database_id: 'here_database',
    last_xact: THIS_XACT,
    seconds_lost: 'f.seconds_lost',
    reigns_lost: 'f.reigns_lost',
  };
  const columns = Object.entries(reign).map(([column, here]) =>
    checked ? here : `CASE WHEN f.settled THEN ${here} ELSE f.${column} END`,
  );
  return `
${withHere(guard).trimEnd()}, family AS MATERIALIZED (
  SELECT s.max_id, s.system_id, s.timeline, s.database_id, s.seconds_lost, s.reigns_lost, ${CHANGE} IS NULL AND ${SUPERSEDED} IS NOT TRUE AS settled,
    CASE ${CHANGE} WHEN 'restore' THEN 0 ELSE ${THIS_XACT} END AS last_xact, ${SETTINGS}
  FROM here, ${quotedTable(segments).table} s WHERE s.server_name = $1 FOR SHARE OF s
), born AS (
  INSERT INTO ${quotedTable(keys).table} (family, sequence_key, max_id, ${Object.keys(reign).join(', ')})
  SELECT $1, decode($2, 'hex'), GREATEST(f.max_id, $3::bigint), ${columns.join(', ')} FROM here, family f
  ON CONFLICT DO NOTHING
  RETURNING max_id
)
SELECT b.max_id FROM family f LEFT JOIN born b ON true`;
}
