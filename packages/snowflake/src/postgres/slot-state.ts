import { IdError } from '@ids/core';
import {
  type CallOptions,
  CHANGE_TEXT,
  logTableOf,
  quotedTable,
  type Row,
  readChange,
  type SqlExecutor,
} from '@ids/store';
import {
  assertDurable,
  durabilityWarnings,
  findReign,
  guardTriggers,
  hiddenRows,
  REIGN_TRIGGER,
  type ReignGuard,
  replicationWarnings,
  rowSecurityActive,
  rowsOf,
  runOn,
  triggerWarnings,
} from '@ids/store/postgres';
import { type Layout, layoutText, slotsOf } from '../ids/layout.js';
import type { SlotUse } from '../table/dialect.js';
import {
  aboutTable,
  assertLayout,
  noSlots,
  readMs,
  SlotLayoutError,
  type SlotState,
} from '../table/slot-state.js';
import { SLOT_TABLE } from '../table/wording.js';
import { IN_LAYOUT } from './schema.js';
import { describeStatement, statementsFor } from './statements.js';

interface Description {
  readonly state: SlotState;
  /** How much of the reign can be compared. */
  readonly guard: ReignGuard;
  /** Whether that is all that can happen to this server. */
  readonly complete: boolean;
}

/** See `PostgresSlotTable.describe`. */
export async function describeSlots(
  executor: SqlExecutor,
  use: SlotUse,
  options?: CallOptions,
): Promise<Description> {
  const { name, table, layout, log } = use;
  const { embedded = false, deaf } = executor;
  const run = runOn(executor, table, SLOT_TABLE);
  const logTable = log ? logTableOf(table) : undefined;
  const check = { table, embedded, deaf, log: logTable, wording: SLOT_TABLE };
  const values = [
    name,
    quotedTable(table).table,
    logTable === undefined ? null : quotedTable(logTable).table,
    layoutText(layout),
    slotsOf(layout),
  ];
  const [row] = (await run(describeStatement(table), values, options)).rows;
  assertDurable(row, check);
  const facts = row as Row;
  if (Number(facts.slots) === 0 && (await rowSecurityActive(rowsOf(run, options), table))) {
    const why = `there are no slots ${JSON.stringify(name)}, or ${hiddenRows(table)}`;
    throw new IdError('ERR_IDS_CONFIG', aboutTable(table, why));
  }
  assertSlots(table, name, layout, facts);
  const { guard, change, missing } = await findReign({
    run: rowsOf(run, options),
    facts,
    changeOf: async (one) => {
      const { rows } = await run(statementsFor(use, one).change, [name], options);
      return readChange(rows[0]?.change);
    },
    wording: SLOT_TABLE,
  });
  // A database inside this process has no standbys, so its rows are enough.
  const complete = guard === 'full' || (embedded && guard === 'row');
  const warnings = [
    ...durabilityWarnings(facts, check),
    ...(await replicationWarnings((...query) => run(...query, options), facts, check)),
    ...(missing === undefined || complete ? [] : [aboutTable(table, `${missing}; so every claim waits`)]),
    ...triggerWarnings(facts, check, [...guardTriggers('id_slot'), REIGN_TRIGGER]),
    ...(facts.bounded === true ? [] : [aboutTable(table, UNBOUNDED)]),
    ...(change === undefined ? [] : [aboutTable(table, `${CHANGE_TEXT[change]}; the next claim waits`)]),
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

function assertSlots(table: string, name: string, layout: Layout, { slots, layouts, beyond }: Row): void {
  if (Number(slots) === 0) throw noSlots(table, name);
  assertLayout(table, name, layout, layouts as readonly string[]);
  if (beyond === null) return;
  throw new SlotLayoutError(
    'ERR_IDS_CONFIG',
    aboutTable(table, slotBeyond(table, name, layout, Number(beyond))),
  );
}

function slotBeyond(tableName: string, name: string, layout: Layout, slot: number): string {
  const { table } = quotedTable(tableName);
  const text = `'${name.replaceAll("'", "''")}'`;
  return (
    `the slots ${JSON.stringify(name)} have a slot ${slot}, and the layout ${layoutText(layout)} has the slots 0 to ` +
    `${slotsOf(layout) - 1}: its ids would be those of slot ${slot % slotsOf(layout)}. Delete the slots beyond: ` +
    `BEGIN; ALTER TABLE ${table} DISABLE TRIGGER id_slot_guard_delete; ` +
    `DELETE FROM ${table} WHERE name = ${text} AND slot >= ${slotsOf(layout)}; ` +
    `ALTER TABLE ${table} ENABLE ALWAYS TRIGGER id_slot_guard_delete; COMMIT`
  );
}
