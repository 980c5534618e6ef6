import { logTableOf, quotedTable } from '@ids/store';
import {
  CHANGE,
  type ReignGuard,
  reignFacts,
  SETTINGS,
  storeReign,
  THIS_XACT,
  TIMELINES_HERE,
  TRIGGER_FACTS,
  withHere,
} from '@ids/store/postgres';
import { slotsOf } from '../ids/layout.js';
import type { SlotUse } from '../table/dialect.js';
import { SHARE_STEP, SHARE_WHOLE } from '../table/shares.js';
import { AHEAD_MS, CLAIM_ENDS_MS, LEAVING_MS, WINDOW_MS } from '../windows/lengths.js';
import { IN_LAYOUT } from './schema.js';

/*
 * Every SQL text that runs against the slot table in daily use. Values travel as parameters; the validated
 * table name and the lengths of the protocol are part of the text.
 *
 * The database's clock is read after the row is locked, because a statement may have waited for that. It is
 * read by an unqualified name: tests put a function of that name into a schema before `pg_catalog`.
 */
const CLOCK_MS = 'floor(1000 * extract(epoch FROM clock_timestamp()))::bigint';

export interface SlotStatements {
  /**
   * Assigns a free slot to a token. $1 name, $2 layout, $3 token, $4 owner, $5 whether it must not be
   * doubtful. Returns `slot`, `now_ms`, `change`, `reign`, and `blank` if the row has nothing to compare; no
   * row: none is free, or those that are free are being claimed at this moment. A claim that is ahead of the
   * clock is void: it was made before the clock was set back, and would stand until the clock is there again.
   * A slot that the layout does not have is never free: its bits in ids are those of another one.
   *
   * - Twice: two slots belong to the same token; the second answer counts. The other slot is free again when
   *   the claim ends.
   * - Later, or without an answer: a slot belongs to a token that nobody uses, until the claim ends. It has
   *   no window.
   * - On a former primary that still answers: a slot that its successor is the last one to assign, see
   *   `inShareOf`.
   */
  readonly claim: string;
  /**
   * Grants the first window after a claim. $1 name, $2 layout, $3 slot, $4 token, $5 milliseconds to wait
   * since the claim, with a log $6 owner. Returns `refusal` (null: granted), `now_ms`, `from_ms`,
   * `stood_at` (the end of the last window that the row knew of), `since_ms`, `change` and, unless refused,
   * `granted_until`; no row: no such slot.
   *
   * - Twice: the second window begins where the first one ends, or is refused as too far ahead.
   * - Later: within two seconds after the wait it grants a window that nobody uses; then it is refused,
   *   because the table may have been restored to this claim, and others may have used the slot since. So it
   *   is if the claim is ahead of the clock: others may claim the slot.
   * - Without an answer: the window is time that nobody uses. The same is asked again.
   */
  readonly open: string;
  /**
   * Grants the next window. $1 to $4 as above, $5 the end of the last window that its holder knows of.
   * Returns the same columns.
   *
   * - Twice, or without an answer: as above.
   * - Later than $5: refused, since others may have claimed the slot, even if a restored row does not show
   *   it.
   * - After the row went back: it is raised above $5 first.
   * - On another server than the one of the claim: granted, since the former server may be gone. It says
   *   which reign this is, and the holder leaves the slot before a former primary that still answers would
   *   assign it: see `MovingTenancy`.
   */
  readonly renew: string;
  /**
   * Gives a slot back. $1 name, $2 slot, $3 token. Its time stays reserved. Twice or later: no effect,
   * because the token of a claim is never used again. Without an answer: the slot is free when its time is
   * over. It leaves the columns of the reign alone, so that it hides no change of it.
   */
  readonly release: string;
  /** Who holds the slots, and `now_ms`. $1 name. `owner` is null for a slot that is free by now. */
  readonly holders: string;
  /** What the next statement on any slot would notice. $1 name. Needs a guard. */
  readonly change: string;
  /**
   * Adds slots. $1 name, $2 layout, $3 how many in all. Returns nothing. Slot 0 decides the layout, since
   * rows stay and keep theirs: no other slot is added unless slot 0 is there already, with this layout. So
   * run it for one slot first; of two that do so at once with different layouts, only one adds more. Twice or
   * later: no effect on a slot that exists.
   */
  readonly create: string;
}

/**
 * How far behind the first slot of a timeline a slot `s` is, of as many as `n` counts. `timeline`: its
 * number less 1, in SQL. Claims take the first ones, so two servers side by side need the same slots only if
 * they need many.
 */
function inShareOf(timeline: string): string {
  return `(s.slot + n.slots - ${timeline} * ${SHARE_STEP} % ${SHARE_WHOLE} * n.slots / ${SHARE_WHOLE}) % n.slots`;
}

/** `log`: each window is written to the grant log. */
export function statementsFor(
  { table: tableName, layout, log }: Pick<SlotUse, 'table' | 'layout' | 'log'>,
  guard: ReignGuard,
): SlotStatements {
  const { unitMs } = layout;
  const { table } = quotedTable(tableName);
  const guarded = guard !== 'off';
  const here = guarded ? `${withHere(guard).trimEnd()}, ` : 'WITH ';
  const fromHere = guarded ? ', here' : '';
  const change = guarded ? CHANGE : 'NULL';
  const reign = guard === 'full' ? "concat(here_id, '.', here_timeline)" : 'NULL::text';
  const doubtful = `(s.token IS NOT NULL AND (s.until_ms + ${LEAVING_MS} > ${CLOCK_MS} OR (${change}) IS NOT NULL))`;
  const blank =
    guard === 'full'
      ? '(s.last_xact IS NULL OR s.timeline IS NULL)'
      : guard === 'row'
        ? 's.last_xact IS NULL'
        : 'true';
  const grant = (refusals: string, floor: string): string => `
${here}held AS MATERIALIZED (
  SELECT s.slot, s.token, s.since_ms, s.until_ms, ${change} AS change, ${reign} AS reign FROM ${table} s${fromHere}
  WHERE s.name = $1 AND s.layout = $2 AND s.slot = $3::int FOR UPDATE OF s
), seen AS MATERIALIZED (
  SELECT *, ${CLOCK_MS} AS now_ms FROM held
), planned AS MATERIALIZED (
  SELECT *, (GREATEST(until_ms, now_ms${floor}) + ${unitMs - 1}) / ${unitMs} * ${unitMs} AS from_ms FROM seen
), judged AS MATERIALIZED (
  SELECT *, CASE WHEN token IS DISTINCT FROM $4::uuid THEN 'lost' ${refusals}
    WHEN from_ms > now_ms + ${AHEAD_MS} THEN 'ahead' END AS refusal FROM planned
), granted AS (
  UPDATE ${table} AS s SET until_ms = from_ms + ${WINDOW_MS}${storeReign(guard, 'change')}
  FROM judged${fromHere} WHERE s.name = $1 AND s.slot = judged.slot AND refusal IS NULL
  RETURNING s.until_ms AS granted_until
)${log ? logged(tableName) : ''}
SELECT refusal, now_ms, from_ms, until_ms AS stood_at, since_ms, change, reign, granted_until, ${SETTINGS}
FROM judged LEFT JOIN granted ON true`;
  return {
    claim: `
${here}free AS MATERIALIZED (
  SELECT s.slot, ${change} AS change, ${blank} AS blank, ${reign} AS reign
  FROM ${table} s, (SELECT count(*) AS slots FROM ${table} WHERE name = $1) n${fromHere}
  WHERE s.name = $1 AND s.layout = $2 AND s.slot < ${slotsOf(layout)} AND s.until_ms <= ${CLOCK_MS}
    AND (s.token IS NULL OR s.since_ms + ${CLAIM_ENDS_MS} <= ${CLOCK_MS} OR s.since_ms > ${CLOCK_MS} + ${AHEAD_MS})
    AND NOT ($5::boolean AND ${doubtful})
  ORDER BY ${doubtful}, ${guard === 'full' ? `${inShareOf(TIMELINES_HERE)}, ` : ''}s.until_ms, s.slot LIMIT 1 FOR UPDATE OF s SKIP LOCKED
), seen AS MATERIALIZED (
  SELECT *, ${CLOCK_MS} AS now_ms FROM free
)
UPDATE ${table} AS s SET token = $3::uuid, owner = $4, since_ms = now_ms${storeReign(guard, 'change')}
FROM seen${fromHere} WHERE s.name = $1 AND s.slot = seen.slot
RETURNING s.slot, now_ms, change, blank, reign, ${SETTINGS}`,
    open: grant(
      `WHEN since_ms > now_ms + ${AHEAD_MS} THEN 'lapsed'
    WHEN now_ms < since_ms + $5::bigint THEN 'early'
    WHEN now_ms >= since_ms + ${CLAIM_ENDS_MS} THEN 'lapsed'`,
      '',
    ),
    renew: grant(`WHEN now_ms >= $5::bigint THEN 'lapsed'`, ', $5::bigint'),
    release: `
UPDATE ${table} SET token = NULL, owner = NULL
WHERE name = $1 AND slot = $2::int AND token = $3::uuid RETURNING ${SETTINGS}`,
    holders: `
SELECT slot, layout, since_ms, until_ms,
  CASE WHEN until_ms > ${CLOCK_MS} OR (token IS NOT NULL AND since_ms + ${CLAIM_ENDS_MS} > ${CLOCK_MS}
      AND since_ms <= ${CLOCK_MS} + ${AHEAD_MS})
    THEN COALESCE(owner, '') END AS owner, ${CLOCK_MS} AS now_ms
FROM ${table} WHERE name = $1 ORDER BY slot`,
    change: `
${withHere(guard)}SELECT ${change} AS change FROM ${table} s${fromHere} WHERE s.name = $1 ORDER BY 1 LIMIT 1`,
    create: `
${withHere(guard)}INSERT INTO ${table} (name, slot, layout${guarded ? ', system_id, timeline, database_id, last_xact' : ''})
SELECT $1::text, n, $2::text${guarded ? `, here_id, here_timeline, here_database, ${THIS_XACT}` : ''}
FROM generate_series(0, $3::int - 1) AS n${fromHere}
WHERE n = 0 OR EXISTS (SELECT 1 FROM ${table} o WHERE o.name = $1::text AND o.slot = 0 AND o.layout = $2::text)
ON CONFLICT (name, slot) DO NOTHING`,
  };
}

/** The entry in the grant log: it is committed with its window, or neither is. */
function logged(tableName: string): string {
  const { table: log } = quotedTable(logTableOf(tableName));
  return `, logged AS (
  INSERT INTO ${log} (name, slot, from_ms, until_ms, owner)
  SELECT $1, slot, from_ms, granted_until, $6::text FROM judged JOIN granted ON true
)`;
}

/** The entries of the grant log for an id. $1 name, $2 slot, $3 time. */
export function entriesStatement(tableName: string): string {
  return `
SELECT slot, from_ms, until_ms, owner, (1000 * extract(epoch FROM granted_at))::text AS granted_ms
FROM ${quotedTable(logTableOf(tableName)).table}
WHERE name = $1 AND slot = $2::int AND from_ms <= $3::bigint AND until_ms > $3::bigint ORDER BY granted_at DESC`;
}

/**
 * Whether the store is durable, what its guards rely on, and the slots of a name. $1 name, $2 quoted table,
 * $3 quoted log table or null. `slots` is 0: no such name. `layouts` has that of slot 0, which decides, and
 * those of slots that are claimed or were granted time; without a slot 0, all. Others have no ids: a former
 * `createSlots` added them before it rejected, and no generator of their layout opens. `beyond` is the lowest
 * slot that the layout $4 does not have, which has $5 of them.
 */
export function describeStatement(tableName: string): string {
  const { table } = quotedTable(tableName);
  return `
SELECT c.relpersistence, pg_is_in_recovery() AS in_recovery, current_setting('fsync') AS fsync,
  current_setting('synchronous_standby_names') AS standbys,
  (SELECT l.relpersistence FROM pg_class l WHERE l.oid = to_regclass($3::text)) AS log_persistence,
  current_setting('transaction_read_only') AS read_only,
  ${TRIGGER_FACTS},
  EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.conname = '${IN_LAYOUT}') AS bounded,
  n.slots, n.layouts, n.beyond, n.granted_until, ${CLOCK_MS} AS now_ms, ${reignFacts()}
FROM pg_class c, (
  SELECT count(*)::int AS slots, max(until_ms) AS granted_until,
    min(slot) FILTER (WHERE layout = $4 AND slot >= $5::int) AS beyond,
    array_agg(DISTINCT layout) FILTER (WHERE slot = 0 OR until_ms > 0 OR token IS NOT NULL
      OR NOT EXISTS (SELECT 1 FROM ${table} z WHERE z.name = $1 AND z.slot = 0)) AS layouts
  FROM ${table} WHERE name = $1
) n
WHERE c.oid = $2::text::regclass`;
}
