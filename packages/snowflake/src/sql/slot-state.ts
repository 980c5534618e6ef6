import { IdError } from '@ids/core';
import { quotedTable } from '@ids/segment/sql';
import {
  assertDurable,
  CHANGE_TEXT,
  durabilityWarnings,
  findReign,
  logTableOf,
  REIGN_TRIGGER,
  type ReignGuard,
  type Row,
  readChange,
  replicationWarnings,
  triggerWarnings,
} from '@ids/segment/table';
import { type Layout, layoutText, slotsOf } from '../layout.js';
import type { CallOptions } from '../slot-table.js';
import { IN_LAYOUT, SLOT_TABLE } from './slot-schema.js';
import { readMs, type SlotSql } from './slot-sql.js';
import { describeStatement, statementsFor } from './slot-statements.js';

/** What is known about the slots of a name. */
export interface SlotState {
  /** How many slots there are. */
  readonly slots: number;
  /** Until when time was granted to any of them, and the database's clock, in milliseconds since 1970. */
  readonly grantedUntil: number;
  readonly now: number;
  /** What the store is not set up to survive. */
  readonly warnings: readonly string[];
}

/** The slots of a name, as a generator uses them. */
interface SlotUse {
  readonly name: string;
  readonly layout: Layout;
  /** Whether grants are written to a log. */
  readonly log: boolean;
}

interface Description {
  readonly state: SlotState;
  /** How much of the reign can be compared. */
  readonly guard: ReignGuard;
  /** Whether that is all that can happen to this server. */
  readonly complete: boolean;
}

/** See `SqlSlotTable.describe`. */
export async function describeSlots(
  sql: SlotSql,
  { name, layout, log }: SlotUse,
  options?: CallOptions,
): Promise<Description> {
  const { table, embedded } = sql;
  const logTable = log ? logTableOf(table) : undefined;
  const check = { table, embedded, log: logTable, wording: SLOT_TABLE };
  const values = [
    name,
    quotedTable(table).table,
    logTable === undefined ? null : quotedTable(logTable).table,
    layoutText(layout),
    slotsOf(layout),
  ];
  const { row } = await sql.run(describeStatement(table), values, options);
  assertDurable(row, check);
  const facts = row as Row;
  assertSlots(sql, name, layout, facts);
  const { guard, change, missing } = await findReign({
    run: async (...query) => (await sql.rows(...query, options)).rows,
    facts,
    changeOf: async (one) => {
      const { change: text } = statementsFor({ table, guard: one, layout, log });
      return readChange((await sql.run(text, [name], options)).row?.change);
    },
    wording: SLOT_TABLE,
  });
  // A database inside this process has no standbys, so its rows are enough.
  const complete = guard === 'full' || (embedded && guard === 'row');
  const warnings = [
    ...durabilityWarnings(facts, check),
    ...(await replicationWarnings((...query) => sql.rows(...query, options), facts, check)),
    ...(missing === undefined || complete ? [] : [sql.named(`${missing}; so every claim waits`)]),
    ...triggerWarnings(facts, check, ['id_slot_guard', 'id_slot_guard_truncate', REIGN_TRIGGER]),
    ...(facts.bounded === true ? [] : [sql.named(UNBOUNDED)]),
    ...(change === undefined ? [] : [sql.named(`${CHANGE_TEXT[change]}; the next claim waits`)]),
  ];
  const state = {
    slots: Number(facts.slots),
    grantedUntil: readMs(facts.granted_until),
    now: readMs(facts.now_ms),
    warnings,
  };
  return { state, guard, complete };
}

const UNBOUNDED = `the check ${IN_LAYOUT} is missing, so a row can be added whose ids are those of another slot; run ensureSlotSchema`;

/** The slots of a name do not fit the layout of a generator or, row by row, their own. */
export class SlotLayoutError extends IdError {}

function assertSlots(sql: SlotSql, name: string, layout: Layout, { slots, layouts, beyond }: Row): void {
  if (Number(slots) === 0) throw noSlots(sql, name);
  const own = layoutText(layout);
  const found = (layouts as readonly string[]).filter((one) => one !== own);
  if (found.length > 0) throw new SlotLayoutError('ERR_IDS_CONFIG', sql.named(otherLayout(name, own, found)));
  if (beyond === null) return;
  throw new SlotLayoutError('ERR_IDS_CONFIG', sql.named(slotBeyond(sql, name, layout, Number(beyond))));
}

function otherLayout(name: string, own: string, found: readonly string[]): string {
  const [layout, epoch] = (found[0] ?? '').split('@');
  const [, ownEpoch] = own.split('@');
  const options = `"layout": "${layout}"${epoch === ownEpoch ? '' : ` and "epoch": ${epoch}`}`;
  return (
    `the slots ${JSON.stringify(name)} were created for the layout ${found.join(', ')}, and this generator has ${own}: ` +
    `ids of different layouts can be equal. Set ${options}, as the slots have; or, if the new ids are stored ` +
    'elsewhere, choose another "name" and create slots for it'
  );
}

function slotBeyond(sql: SlotSql, name: string, layout: Layout, slot: number): string {
  const { table } = quotedTable(sql.table);
  const text = `'${name.replaceAll("'", "''")}'`;
  return (
    `the slots ${JSON.stringify(name)} have a slot ${slot}, and the layout ${layoutText(layout)} has the slots 0 to ` +
    `${slotsOf(layout) - 1}: its ids would be those of slot ${slot % slotsOf(layout)}. Delete the slots beyond: ` +
    `BEGIN; ALTER TABLE ${table} DISABLE TRIGGER id_slot_guard; ` +
    `DELETE FROM ${table} WHERE name = ${text} AND slot >= ${slotsOf(layout)}; ` +
    `ALTER TABLE ${table} ENABLE ALWAYS TRIGGER id_slot_guard; COMMIT`
  );
}

export function noSlots(sql: SlotSql, name: string): IdError {
  return new IdError(
    'ERR_IDS_CONFIG',
    sql.named(`there are no slots ${JSON.stringify(name)}; create them once with createSlots`),
  );
}
