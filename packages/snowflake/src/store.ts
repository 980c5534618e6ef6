import type { IdPart, StrategyStore } from '@ids/core';
import type { SqlExecutor } from '@ids/store';
import { rowValue } from '@ids/store/guarded';
import { defaultLayout } from './ids/id-format.js';
import { type Layout, lowestIdAt } from './ids/layout.js';
import type { ParsedSnowflakeOptions } from './options.js';
import * as sql from './sql/any-dialect.js';
import { SlotLayoutError } from './table/slot-state.js';
import { DEFAULT_SLOT_TABLE } from './table/wording.js';
import type { Holder } from './windows/slot-table.js';

/** For `IdStrategy.store`: the slots of a generator whose ids have this layout. */
export function slotStore(
  options: ParsedSnowflakeOptions,
  layout: Layout,
): StrategyStore<SqlExecutor> | undefined {
  const { database, name, worker, table = DEFAULT_SLOT_TABLE, log = false, as, epoch } = options;
  if (worker !== undefined || database === undefined || name === undefined) return undefined;
  const layoutName = options.layout ?? defaultLayout(as);
  const created = { table, layout: layoutName, epoch };
  const slotsOn = (executor: SqlExecutor) => sql.slotTable(executor, { name, table, log, layout });
  return {
    database,
    table,
    rows: 'slots',
    name,
    entry: `slots ${name}`,
    shape: `layout ${layoutName}`,
    parts: log ? ['table', 'log'] : ['table'],
    sharedWith: ({ parts }) =>
      slotStore({ ...options, log: log || parts.includes('log') }, layout) as StrategyStore<SqlExecutor>,
    schema: ({ dialect } = {}) => sql.slotSchema(table, { log, dialect }),
    missing: (executor) => sql.missingSlotSchema(executor, { table, log }),
    ensure: (executor) => sql.ensureSlotSchema(executor, { table, log }),
    grants: (role, { dialect } = {}) => sql.slotGrants(role, { table, log, dialect }),
    lackingRights: (executor) => sql.lackingSlotRights(executor, { table, log }),
    exists: async (executor) =>
      (await rowValue(executor, table, { column: 'name', name }, 'name')) !== undefined,
    createSql: ({ dialect } = {}) => sql.slotsSql(name, { ...created, dialect }),
    async create(executor) {
      const isNew = !(await this.exists(executor));
      await sql.createSlots(executor, name, created);
      return isNew;
    },
    async assertUsable(executor) {
      await slotsOn(executor)
        .describe()
        .catch((error: unknown) => {
          if (error instanceof SlotLayoutError) throw error;
        });
    },
    async describe(executor) {
      const slots = slotsOn(executor);
      const { grantedUntil, now, warnings } = await slots.describe();
      const { slots: count, holders } = await slots.holders();
      return {
        reserved: lowestIdAt(grantedUntil, layout) - 1n,
        summary: `${count} of the layout ${layoutName}, ${holders.length} in use`,
        usedUp: takenBeyond(holders, now),
        concern: holders.length === count ? 'a start must wait until one is free' : undefined,
        warnings,
        now,
      };
    },
    whoIssued: (executor, id) => issuerOf(executor, name, id, layout, table),
  };
}

/** Grants reach a few seconds ahead of the clock: a day is a clock that was wrong, or a row that was set. */
const DAY_MS = 86_400_000;

function takenBeyond(holders: readonly Holder[], now: number): string | undefined {
  const beyond = holders.filter(({ until }) => !(until.getTime() <= now + DAY_MS)).map(({ slot }) => slot);
  if (beyond.length === 0) return undefined;
  return `time was taken for more than a day ahead of the database's clock, for ${beyond.length} of them, such as slot ${beyond[0]}: nobody can hold one before that. See docs/operations/snowflake.md#slots-that-are-taken-for-years`;
}

async function issuerOf(
  executor: SqlExecutor,
  name: string,
  id: string,
  layout: Layout,
  table: string,
): Promise<IdPart[]> {
  const found = await sql.whoIssued(executor, name, id, layout, { table });
  if (found.status !== 'granted') {
    const value =
      'unknown: its time was never granted to its slot, or granted to a process without the option "log"';
    return [{ name: 'owner', value }];
  }
  return found.grants.flatMap(({ owner, from, until, grantedAt }) => [
    { name: 'owner', value: owner },
    { name: 'window', value: `${from.toISOString()}..${until.toISOString()}` },
    { name: 'granted', value: grantedAt.toISOString() },
  ]);
}
