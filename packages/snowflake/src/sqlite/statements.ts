import {
  type GivenValues,
  given,
  givenInteger as integer,
  literal,
  SQLITE_NOW_MS,
  type SqliteStatement,
  type SqliteTable,
  sqliteTable,
  givenText as text,
  valuesOf,
} from '@ids/store/sqlite';
import { type Layout, layoutText, slotsOf } from '../ids/layout.js';
import type { AskedId } from '../table/dialect.js';
import { AHEAD_MS, CLAIM_ENDS_MS, WINDOW_MS } from '../windows/lengths.js';

/*
 * Every SQL text that runs against the slot table in daily use, as in `../postgres/statements.ts`, which says
 * what the columns of an answer mean. Each statement holds the lock of the database before it reads the
 * clock, which stands still until the statement ends.
 *
 * On another file than a moment ago, a statement decides by the rows there. Those of a backup lack claims and
 * windows: see `claimStatement` and `nextWindow`.
 */

/** The slots of a name in a table. */
export interface Slots {
  readonly table: SqliteTable;
  readonly name: string;
  readonly layout: Layout;
}

/** Whether nobody holds a slot, and its time is over. */
const FREE = `s.until_ms <= ${SQLITE_NOW_MS} AND (s.token IS NULL OR s.since_ms + ${CLAIM_ENDS_MS} <= ${SQLITE_NOW_MS}
    OR s.since_ms > ${SQLITE_NOW_MS} + ${AHEAD_MS})`;

/** The values that name the slots. */
const keyOf = ({ name, layout }: Slots): GivenValues => ({
  of_name: text(name),
  of_layout: text(layoutText(layout)),
});

/**
 * Assigns a free slot to a token, in the database `home`. Returns `slot`, `now_ms`, and as `noticed` a
 * restore, or `blank` if the row names no database to compare with; no row: none is free.
 *
 * - Twice: two slots belong to the same token; the second answer counts.
 * - Later, or without an answer: a slot belongs to a token that nobody uses, until the claim ends. It has no
 *   window.
 * - On another file than `home`: the row of a backup may name `home`, and shows no restore then. So the
 *   caller asks where it is once more afterwards. The row keeps naming `home`, so later claims notice.
 */
export function claimStatement(slots: Slots, token: string, owner: string, home: string): SqliteStatement {
  const { table, layout } = slots;
  const values = { ...keyOf(slots), asked: text(token), holder: text(owner), home: text(home) };
  return {
    text: `WITH free AS (
  SELECT s.slot AS free_slot, ${SQLITE_NOW_MS} AS clock_ms, g.* FROM ${table.quoted} s, ${given(values)}
  WHERE s.name = g.of_name AND s.layout = g.of_layout AND s.slot < ${slotsOf(layout)} AND ${FREE}
  ORDER BY s.until_ms, s.slot LIMIT 1
)
UPDATE ${table.quoted} SET token = free.asked, owner = free.holder, since_ms = free.clock_ms,
  noticed = CASE WHEN reign_server IS NULL THEN 'blank' WHEN reign_server <> free.home THEN 'restore' END,
  reign_server = free.home
FROM free WHERE name = free.of_name AND slot = free.free_slot
RETURNING slot, since_ms AS now_ms, noticed`,
    values: valuesOf(values),
  };
}

/** A window that is asked for. */
export interface WantedWindow {
  readonly slot: number;
  readonly token: string;
  /** In SQL: why none is granted, as the branches of a CASE that compare with `bound`. */
  readonly refusals: string;
  readonly bound: number;
  /** What the window begins at or after, besides the row and the clock. */
  readonly floor: number;
}

/**
 * The first window after a claim, `waitMs` after it or later.
 *
 * Twice, later and without an answer: as on Postgres. On another file: only if the claim is there, too.
 */
export function firstWindow(slot: number, token: string, waitMs: number): WantedWindow {
  const refusals = `WHEN since_ms > clock_ms + ${AHEAD_MS} THEN 'lapsed'
    WHEN clock_ms < since_ms + bound THEN 'early'
    WHEN clock_ms >= since_ms + ${CLAIM_ENDS_MS} THEN 'lapsed'`;
  return { slot, token, refusals, bound: waitMs, floor: 0 };
}

/**
 * The window after the one that ends at `until`.
 *
 * Twice, later and without an answer: as on Postgres. On a backup that lacks windows: the row is raised
 * first.
 */
export function nextWindow(slot: number, token: string, until: number): WantedWindow {
  return { slot, token, refusals: "WHEN clock_ms >= bound THEN 'lapsed'", bound: until, floor: until };
}

/**
 * Grants a window, or says why not: then only the answer in the row changes, so that a change of the reign
 * can still be noticed. `logs`: with an entry in the log, without which it is refused as `unlogged`. No row:
 * no such slot.
 */
export function grantStatement(
  slots: Slots,
  wanted: WantedWindow,
  home: string,
  logs: boolean,
): SqliteStatement {
  const { table, layout } = slots;
  const { unitMs } = layout;
  const values = {
    ...keyOf(slots),
    of_slot: integer(wanted.slot),
    asked: text(wanted.token),
    bound: integer(wanted.bound),
    floor_ms: integer(wanted.floor),
    home: text(home),
    logs: integer(Number(logs)),
  };
  const logTrigger = `SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND name = ${literal(table.trigger('log'))}`;
  return {
    text: `WITH held AS (
  SELECT s.token, s.since_ms, s.until_ms AS stood_at, ${SQLITE_NOW_MS} AS clock_ms, g.* FROM ${table.quoted} s, ${given(values)}
  WHERE s.name = g.of_name AND s.layout = g.of_layout AND s.slot = g.of_slot
), planned AS (
  SELECT *, (max(stood_at, clock_ms, floor_ms) + ${unitMs - 1}) / ${unitMs} * ${unitMs} AS start_ms FROM held
), judged AS (
  SELECT *, CASE WHEN token IS NOT asked THEN 'lost' ${wanted.refusals}
    WHEN start_ms > clock_ms + ${AHEAD_MS} THEN 'ahead'
    WHEN logs AND NOT EXISTS (${logTrigger}) THEN 'unlogged' END AS refused FROM planned
)
UPDATE ${table.quoted} SET refusal = judged.refused, seen_ms = judged.clock_ms, from_ms = judged.start_ms,
  stood_at = judged.stood_at, noticed = CASE WHEN reign_server <> judged.home THEN 'restore' END,
  until_ms = iif(judged.refused IS NULL, judged.start_ms + ${WINDOW_MS}, until_ms),
  reign_server = iif(judged.refused IS NULL, judged.home, reign_server),
  logged = logged + (judged.refused IS NULL AND judged.logs)
FROM judged WHERE name = judged.of_name AND slot = judged.of_slot
RETURNING refusal, seen_ms AS now_ms, from_ms, until_ms, since_ms, stood_at, noticed`,
    values: valuesOf(values),
  };
}

/** Gives a slot back. Twice, later, without an answer or elsewhere: no effect on the claim of others. */
export function releaseStatement(
  { table: { quoted }, name }: Slots,
  slot: number,
  token: string,
): SqliteStatement {
  return {
    text: `UPDATE ${quoted} SET token = NULL, owner = NULL WHERE name = ? AND slot = CAST(? AS integer) AND token = ?`,
    values: [name, slot, token],
  };
}

/** Who holds the slots. Changes nothing. */
export function holdersStatement({ table, name }: Slots): SqliteStatement {
  return {
    text: `SELECT s.slot, s.since_ms, s.until_ms, iif(${FREE}, NULL, COALESCE(s.owner, '')) AS owner,
  ${SQLITE_NOW_MS} AS now_ms FROM ${table.quoted} s WHERE s.name = ? ORDER BY s.slot`,
    values: [name],
  };
}

/**
 * The slots of a name, and the clock. `layouts` has that of slot 0, which decides, and those of slots that
 * are claimed or were granted time; without a slot 0, all. `foreign_rows`: how many name another database
 * than `home`. Changes nothing.
 */
export function describeStatement({ table: { quoted }, name }: Slots, home: string): SqliteStatement {
  return {
    text: `SELECT count(*) AS slots, COALESCE(max(until_ms), 0) AS granted_until, ${SQLITE_NOW_MS} AS now_ms,
  COALESCE(sum(reign_server <> ?), 0) AS foreign_rows,
  group_concat(DISTINCT CASE WHEN slot = 0 OR until_ms > 0 OR token IS NOT NULL
    OR NOT EXISTS (SELECT 1 FROM ${quoted} z WHERE z.name = s.name AND z.slot = 0) THEN layout END) AS layouts
FROM ${quoted} s WHERE name = ?`,
    values: [home, name],
  };
}

/** The entries of the grant log for an id. Changes nothing. */
export function entriesStatement({ table, name, slot, timeMs }: AskedId): SqliteStatement {
  return {
    text: `SELECT slot, from_ms, until_ms, owner, granted_at AS granted_ms FROM ${sqliteTable(table).log}
WHERE name = ? AND slot = CAST(? AS integer) AND from_ms <= CAST(? AS integer) AND until_ms > CAST(? AS integer)
ORDER BY granted_at DESC`,
    values: [name, slot, timeMs, timeMs],
  };
}

/**
 * Adds slots, up to `upTo` in all, and returns those that it added. Slot 0 decides the layout, as on
 * Postgres: run it for one slot first. Twice or later: no effect on a slot that exists. It has no parameters,
 * for migrations.
 */
export function createStatement({ table: { quoted }, name, layout }: Slots, upTo: number): string {
  const [key, layoutKey] = [literal(name), literal(layoutText(layout))];
  return `WITH RECURSIVE wanted (slot) AS (SELECT 0 UNION ALL SELECT slot + 1 FROM wanted WHERE slot + 1 < ${upTo})
INSERT INTO ${quoted} (name, slot, layout)
SELECT ${key}, w.slot, ${layoutKey} FROM wanted w
WHERE NOT EXISTS (SELECT 1 FROM ${quoted} s WHERE s.name = ${key} AND s.slot = w.slot)
  AND (w.slot = 0
    OR EXISTS (SELECT 1 FROM ${quoted} o WHERE o.name = ${key} AND o.slot = 0 AND o.layout = ${layoutKey}))
RETURNING slot`;
}

/**
 * Writes the database into rows that were just added to it, so that a restore from before their first claim
 * is noticed. Twice: no effect. Later, or on another file than the one they were added to: the row names a
 * database that it is not in, and the next claim waits. Never: the first claim waits.
 */
export function settleStatement(
  { table: { quoted }, name }: Slots,
  added: readonly number[],
  home: string,
): SqliteStatement {
  return {
    text: `UPDATE ${quoted} SET reign_server = ? WHERE name = ? AND reign_server IS NULL AND slot IN (${added.join(', ')})`,
    values: [home, name],
  };
}
