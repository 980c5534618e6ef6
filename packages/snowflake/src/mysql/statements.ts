import {
  bytesOf,
  changeFrom,
  DURABILITY,
  type MysqlTable,
  mysqlTable,
  numberOf,
  SERVER_HERE,
  storeReign,
  tableHere,
  textOf,
} from '@ids/store/mysql';
import { type Layout, layoutText, slotsOf } from '../ids/layout.js';
import type { AskedId } from '../table/dialect.js';
import { SHARE_STEP, SHARE_WHOLE } from '../table/shares.js';
import { AHEAD_MS, CLAIM_ENDS_MS, LEAVING_MS, WINDOW_MS } from '../windows/lengths.js';

/*
 * Every SQL text that runs against the slot table in daily use, as in `../postgres/statements.ts`, which says
 * what the columns of an answer mean. MariaDB and MySQL get the same texts.
 *
 * An UPDATE returns no columns here. So it leaves its answer in the row, with an id of its own, and a second
 * statement reads it. An answer with another id is that of somebody else: nothing is used.
 */

/**
 * The server's clock when this is evaluated, in milliseconds since 1970: in an UPDATE, after the row was
 * locked. SYSDATE moves on while the statement waits; UTC_TIMESTAMP and NOW do not. Local time cannot be
 * converted: in autumn, each time of one hour comes twice.
 */
export const CLOCK_MS = `((TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))
    + TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6))) DIV 1000)`;

/**
 * Whether the statement came to its row within ten seconds, by a local clock that was not set meanwhile.
 * Otherwise it changes nothing, and the same is asked again.
 */
const IN_TIME = 'SYSDATE(6) BETWEEN NOW(6) AND NOW(6) + INTERVAL 10 SECOND';

/** Whether the clock stands still within a statement: then the server was started with `--sysdate-is-now`. */
export const STANDS_STILL = 'SELECT SLEEP(0.001) AS slept, SYSDATE(6) <= NOW(6) AS still';

/** The slots of a name in a table. */
export interface Slots {
  readonly table: MysqlTable;
  readonly name: string;
  readonly layout: Layout;
}

/** What a row shows about the reign. */
function change(table: MysqlTable): string {
  return changeFrom(SERVER_HERE, tableHere(table));
}

/** Whether nobody holds a slot, and its time is over. */
const FREE = `until_ms <= ${CLOCK_MS} AND (token IS NULL OR since_ms + ${CLAIM_ENDS_MS} <= ${CLOCK_MS}
    OR since_ms > ${CLOCK_MS} + ${AHEAD_MS})`;

function ofLayout({ name, layout }: Slots): string {
  return `name = ${bytesOf(name)} AND layout = ${textOf(layoutText(layout))}`;
}

/** Whether its holder may still get time for a slot on another server. */
const DOUBTFUL = `(token IS NOT NULL AND (until_ms + ${LEAVING_MS} > ${CLOCK_MS} OR NOT (reign_server <=> ${SERVER_HERE})))`;

/**
 * How far behind the first slot of this server a slot is, as on Postgres. Servers have no order here, so
 * their ids decide where they begin: 1 with slot 0. An id may be 0, and is unsigned.
 */
const IN_SHARE = `(slot + n.slots
    - (@@GLOBAL.server_id + ${SHARE_WHOLE - 1}) * ${SHARE_STEP} % ${SHARE_WHOLE} * n.slots DIV ${SHARE_WHOLE}) % n.slots`;

/**
 * Slots that are free, the first one of the server's share first, or only those that are not doubtful. It
 * locks nothing: each may be claimed before the next step.
 */
export function freeStatement(slots: Slots, atMost: number, undoubted: boolean): string {
  const { quoted } = slots.table;
  return `SELECT slot FROM ${quoted}, (SELECT count(*) AS slots FROM ${quoted} WHERE name = ${bytesOf(slots.name)}) n
WHERE ${ofLayout(slots)} AND slot < ${slotsOf(slots.layout)} AND ${FREE}${undoubted ? ` AND NOT ${DOUBTFUL}` : ''}
ORDER BY ${DOUBTFUL}, ${IN_SHARE}, until_ms, slot LIMIT ${atMost}`;
}

/**
 * Assigns a slot to a token, if it is free when its row is locked.
 *
 * - Twice: the second one finds the slot held, and changes nothing.
 * - Later, or without an answer: a slot belongs to a token that nobody uses, until the claim ends. It has no
 *   window.
 * - On another server than the one that named the slot: the row there decides.
 * - On a former primary that still answers: as on Postgres.
 */
export function claimStatement(slots: Slots, slot: number, token: string, owner: string): string {
  return `UPDATE ${slots.table.quoted}
SET noticed = ${change(slots.table)}, token = ${textOf(token)}, owner = ${textOf(owner)}, since_ms = ${CLOCK_MS},
  ${storeReign(slots.table)}
WHERE ${ofLayout(slots)} AND slot = ${numberOf(slot)} AND ${FREE} AND ${IN_TIME}`;
}

/**
 * The claim, if it was made. The token is used for no other one. `reign` is that of the row, which the claim
 * wrote: a proxy may read on a replica.
 */
export function claimedStatement({ table, name }: Slots, slot: number, token: string): string {
  return `SELECT CAST(since_ms AS char) AS now_ms, noticed, reign_server AS reign FROM ${table.quoted}
WHERE name = ${bytesOf(name)} AND slot = ${numberOf(slot)} AND token = ${textOf(token)}`;
}

/** A window that is asked for. */
export interface WantedWindow {
  readonly slot: number;
  readonly token: string;
  /** In SQL: why none is granted, as the branches of a CASE. */
  readonly refusals: string;
  /** What the window begins at or after, besides the row and the clock. */
  readonly floor: number | undefined;
}

/**
 * The first window after a claim. Twice, later and without an answer: as on Postgres. On another server: only
 * if the claim is there, too.
 */
export function firstWindow(slot: number, token: string, waitMs: number): WantedWindow {
  const refusals = `WHEN since_ms > ${CLOCK_MS} + ${AHEAD_MS} THEN 'lapsed'
    WHEN ${CLOCK_MS} < since_ms + ${numberOf(waitMs)} THEN 'early'
    WHEN ${CLOCK_MS} >= since_ms + ${CLAIM_ENDS_MS} THEN 'lapsed'`;
  return { slot, token, refusals, floor: undefined };
}

/**
 * The window after the one that ends at `until`. Twice, later and without an answer: as on Postgres. On a
 * successor that lacks windows: the row is raised first. On a successor of the claim's server: as on
 * Postgres.
 */
export function nextWindow(slot: number, token: string, until: number): WantedWindow {
  return {
    slot,
    token,
    refusals: `WHEN ${CLOCK_MS} >= ${numberOf(until)} THEN 'lapsed'`,
    floor: until,
  };
}

function startOf({ unitMs }: Layout, { floor }: WantedWindow): string {
  const above = floor === undefined ? '' : `, ${numberOf(floor)}`;
  return `((GREATEST(until_ms, ${CLOCK_MS}${above}) + ${unitMs - 1}) DIV ${unitMs} * ${unitMs})`;
}

/** In a mode of MariaDB and MySQL, NOT binds more tightly than a comparison. */
function refusal(layout: Layout, wanted: WantedWindow): string {
  return `CASE WHEN NOT (token <=> ${textOf(wanted.token)}) THEN 'lost' ${wanted.refusals}
    WHEN ${startOf(layout, wanted)} > ${CLOCK_MS} + ${AHEAD_MS} THEN 'ahead' END`;
}

/** Grants a window. `grantId` names this execution, in 32 hexadecimal digits; `logs`: with a log entry. */
export function grantStatement(slots: Slots, wanted: WantedWindow, grantId: string, logs: boolean): string {
  const { table, layout } = slots;
  // `until_ms` comes last but for the reign: in the standard mode, an assignment sees those to its left.
  return `UPDATE ${table.quoted}
SET noticed = ${change(table)}, stood_at = until_ms, seen_ms = ${CLOCK_MS}, grant_id = X'${grantId}', logs = ${Number(logs)},
  until_ms = ${startOf(layout, wanted)} + ${WINDOW_MS}, ${storeReign(table)}
WHERE ${ofLayout(slots)} AND slot = ${numberOf(wanted.slot)} AND (${refusal(layout, wanted)}) IS NULL AND ${IN_TIME}`;
}

/**
 * The window, if `granted`; otherwise why there is none. `durability` is that of the server by then. No row:
 * no such slot.
 */
export function grantedStatement(slots: Slots, wanted: WantedWindow, grantId: string): string {
  const texts = ['since_ms', 'until_ms', 'stood_at', 'seen_ms'].map(
    (name) => `CAST(${name} AS char) AS ${name}`,
  );
  return `SELECT grant_id <=> X'${grantId}' AS granted, logged <=> grant_id AS logged, noticed, reign_server AS reign, ${texts.join(', ')},
  ${DURABILITY} AS durability, ${refusal(slots.layout, wanted)} AS refusal, CAST(${startOf(slots.layout, wanted)} AS char) AS from_ms,
  CAST(${CLOCK_MS} AS char) AS now_ms
FROM ${slots.table.quoted} WHERE ${ofLayout(slots)} AND slot = ${numberOf(wanted.slot)}`;
}

/** Gives a slot back. Twice, later, without an answer or elsewhere: no effect on the claim of others. */
export function releaseStatement({ table, name }: Slots, slot: number, token: string): string {
  return `UPDATE ${table.quoted} SET token = NULL, owner = NULL
WHERE name = ${bytesOf(name)} AND slot = ${numberOf(slot)} AND token = ${textOf(token)}`;
}

/** Who holds the slots. */
export function holdersStatement({ table, name }: Slots): string {
  return `SELECT slot, CAST(since_ms AS char) AS since_ms, CAST(until_ms AS char) AS until_ms,
  CASE WHEN until_ms > ${CLOCK_MS} OR (token IS NOT NULL AND since_ms + ${CLAIM_ENDS_MS} > ${CLOCK_MS}
      AND since_ms <= ${CLOCK_MS} + ${AHEAD_MS})
    THEN COALESCE(owner, '') END AS owner, CAST(${CLOCK_MS} AS char) AS now_ms
FROM ${table.quoted} WHERE name = ${bytesOf(name)} ORDER BY slot`;
}

/**
 * The slots of a name, the clock, and what a durable store is known by. `layouts` has that of slot 0, which
 * decides, and those of slots that are claimed or were granted time; without a slot 0, all.
 */
export function describeStatement({ table, name }: Slots): string {
  const key = bytesOf(name);
  return `SELECT n.*, ${SERVER_HERE} AS here_server, CAST(${tableHere(table)} AS char) AS here_table,
  (SELECT ENGINE FROM information_schema.TABLES WHERE ${table.isThis}) AS engine, @@SESSION.autocommit AS autocommit,
  DATABASE() AS here_database, ${DURABILITY} AS durability, CAST(${CLOCK_MS} AS char) AS now_ms
FROM (SELECT count(*) AS slots, CAST(max(until_ms) AS char) AS granted_until, min(${change(table)}) AS noticed,
    group_concat(DISTINCT CASE WHEN slot = 0 OR until_ms > 0 OR token IS NOT NULL
      OR NOT EXISTS (SELECT 1 FROM ${table.quoted} z WHERE z.name = ${key} AND z.slot = 0) THEN layout END) AS layouts
  FROM ${table.quoted} WHERE name = ${key}) n`;
}

/** The entries of the grant log for an id. */
export function entriesStatement({ table, name, slot, timeMs }: AskedId): string {
  const at = numberOf(timeMs);
  return `SELECT slot, CAST(from_ms AS char) AS from_ms, CAST(until_ms AS char) AS until_ms, owner,
  CAST(1000 * UNIX_TIMESTAMP(granted_at) AS char) AS granted_ms
FROM ${mysqlTable(table).log}
WHERE name = ${bytesOf(name)} AND slot = ${numberOf(slot)} AND from_ms <= ${at} AND until_ms > ${at}
ORDER BY granted_at DESC`;
}

const DIGITS = Array.from({ length: 32 }, (_, n) => `SELECT ${n}${n === 0 ? ' AS n' : ''}`).join(
  ' UNION ALL ',
);

/**
 * Adds slots, up to `upTo` in all. Slot 0 decides the layout, as on Postgres: run it for one slot first.
 * Twice or later: no effect on a slot that exists.
 */
export function createStatement({ table: { quoted }, name, layout }: Slots, upTo: number): string {
  const [key, text] = [bytesOf(name), textOf(layoutText(layout))];
  return `INSERT INTO ${quoted} (name, slot, layout)
SELECT ${key}, d.n, ${text} FROM (SELECT a.n + 32 * b.n AS n FROM (${DIGITS}) a CROSS JOIN (${DIGITS}) b) d
WHERE d.n < ${numberOf(upTo)}
  AND (d.n = 0 OR EXISTS (SELECT 1 FROM ${quoted} o WHERE o.name = ${key} AND o.slot = 0 AND o.layout = ${text}))
ON DUPLICATE KEY UPDATE slot = ${quoted}.slot`;
}
