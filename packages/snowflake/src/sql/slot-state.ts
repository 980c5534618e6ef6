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
import { type Layout, layoutText } from '../layout.js';
import type { CallOptions } from '../slot-table.js';
import { SLOT_TABLE } from './slot-schema.js';
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
  ];
  const { row } = await sql.run(describeStatement(table), values, options);
  assertDurable(row, check);
  const facts = row as Row;
  assertSlots(sql, name, layout, facts);
  const { guard, change, missing } = await findReign({
    run: async (...query) => (await sql.rows(...query, options)).rows,
    facts,
    changeOf: async (one) => {
      const { change: text } = statementsFor({ table, guard: one, unitMs: layout.unitMs, log });
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

function assertSlots(sql: SlotSql, name: string, layout: Layout, { slots, layouts }: Row): void {
  if (Number(slots) === 0) throw noSlots(sql, name);
  const own = layoutText(layout);
  const found = (layouts as readonly string[]).filter((one) => one !== own);
  if (found.length === 0) return;
  throw new IdError(
    'ERR_IDS_CONFIG',
    sql.named(
      `the slots ${JSON.stringify(name)} were created for the layout ${found.join(', ')}, and this generator has ` +
        `${own}: ids of different layouts can be equal`,
    ),
  );
}

export function noSlots(sql: SlotSql, name: string): IdError {
  return new IdError(
    'ERR_IDS_CONFIG',
    sql.named(`there are no slots ${JSON.stringify(name)}; create them once with createSlots`),
  );
}
