import { IdError } from '@ids/core';
import { type CallOptions, CHANGE_TEXT, readChange } from '@ids/store';
import { replicationWarning, type TableSql } from '@ids/store/mysql';
import { aboutTable, assertLayout, noSlots, readMs, type SlotState } from '../table/slot-state.js';
import { describeStatement, type Slots, STANDS_STILL } from './statements.js';

interface Description {
  readonly state: SlotState;
  /** The database in which the table was found. */
  readonly database: string;
  /** What the server was set to when it was found to be durable. */
  readonly durability: string;
}

/** See `MysqlSlotTable.describe`. Reads only: run twice or later, it reads what is there then. */
export async function describeSlots(
  sql: TableSql,
  slots: Slots,
  log: boolean,
  options?: CallOptions,
): Promise<Description> {
  const { name, layout, table } = slots;
  const [row = {}] = await sql.rows(describeStatement(slots), options);
  const facts = await sql.durableFacts(row, options);
  await assertClock(sql, options);
  if (log) await sql.assertLog(table.log, options);
  if (Number(row.slots) === 0) throw noSlots(sql.table, name);
  assertLayout(sql.table, name, layout, String(row.layouts).split(','));
  const change = readChange(row.noticed);
  const warnings = [
    replicationWarning(facts),
    ...(change === undefined ? [] : [aboutTable(sql.table, `${CHANGE_TEXT[change]}; the next claim waits`)]),
  ];
  return {
    state: {
      slots: Number(row.slots),
      grantedUntil: readMs(row.granted_until),
      now: readMs(row.now_ms),
      warnings,
    },
    database: table.database ?? String(row.here_database),
    durability: String(row.durability),
  };
}

/** A grant relies on a clock that is read after its row was locked. */
async function assertClock(sql: TableSql, options: CallOptions | undefined): Promise<void> {
  const [row] = await sql.rows(STANDS_STILL, options);
  if (Number(row?.still) === 0) return;
  throw new IdError(
    'ERR_IDS_CONFIG',
    aboutTable(
      sql.table,
      'SYSDATE() stands still within a statement; start the server without --sysdate-is-now',
    ),
  );
}
