import type { ConfiguredGenerator, SwapSide } from '@ids/config';
import { SqlSegmentSource } from '@ids/segment/sql';
import { type Layout, lowestIdAt } from '@ids/snowflake';
import { SqlSlotTable } from '@ids/snowflake/sql';
import {
  layoutOfIds,
  type NeededTable,
  NO_DATABASE,
  neededTables,
  openDatabase,
  placeOf,
} from './generators.js';
import { missingOf } from './schema-steps.js';

/** A fixed worker runs ahead of its clock by up to three seconds, and its clock may differ from this one. */
const WORKER_AHEAD_MS = 4_000;

/** One of the two generators between which a service swaps, with what its table knows. */
export async function sideOf(generator: ConfiguredGenerator): Promise<SwapSide> {
  const { guarantees, spelling } = generator;
  const place = placeOf(generator);
  const [needed] = neededTables([generator]);
  const layout = layoutOfIds(generator);
  if (place === undefined || needed === undefined) {
    return { guarantees, spelling, ...(layout && workerSide(layout, Number(generator.options.worker))) };
  }
  const { database, name } = place;
  const { table } = needed;
  const ofTime = layout && { clockAt: lowestIdAt(Date.now(), layout) - 1n };
  // Identifies the sequence while it has no realm.
  const shape = layout === undefined ? '' : ` ${JSON.stringify(layout)}`;
  const sequence = `${String(database)} ${table} ${name}${shape}`;
  const unmade = { guarantees, spelling, sequence, ...ofTime };
  if (database === NO_DATABASE) return { ...unmade, missing: 'a database: set IDS_DATABASE_URL' };
  const creates = await missingFrom(needed);
  const missing = creates.length === 0 ? {} : { missing: creates.join(', ') };
  if (creates.some((what) => /^(?:table|sequence|slots) /.test(what))) return { ...unmade, ...missing };
  const known = await whatIsReserved(needed, name, layout);
  return { ...unmade, ...known, ...missing };
}

/** If no sequence can follow the ids of its column, the plan says so, and not this error. */
async function missingFrom(needed: NeededTable): Promise<string[]> {
  const sequences = needed.sequences.map((sequence) => ({ ...sequence, columns: [] }));
  const steps = await missingOf(needed).catch(() => missingOf({ ...needed, sequences }));
  return steps.flatMap(({ creates }) => creates);
}

async function whatIsReserved(
  { database, table }: NeededTable,
  name: string,
  layout: Layout | undefined,
): Promise<Partial<SwapSide>> {
  const executor = await openDatabase(database);
  try {
    if (layout === undefined) {
      const { realm, maxId } = await new SqlSegmentSource(executor, { table }).describe(name);
      return { sequence: realm, reserved: BigInt(maxId) };
    }
    const { grantedUntil, now } = await new SqlSlotTable(executor, { name, table, layout }).describe();
    return idsAt(layout, now, grantedUntil);
  } finally {
    await executor.close();
  }
}

/** No table knows how far a fixed worker is, so this is as far as it can be now. */
function workerSide(layout: Layout, number: number): Pick<SwapSide, 'clockAt' | 'reserved' | 'worker'> {
  const now = Date.now();
  const worker = { number, layout: JSON.stringify(layout), aheadMs: WORKER_AHEAD_MS };
  return { ...idsAt(layout, now, now + WORKER_AHEAD_MS), worker };
}

/** `now` and `until` in milliseconds since 1970: the clock, and the end of the time that was granted. */
function idsAt(layout: Layout, now: number, until: number): Pick<SwapSide, 'clockAt' | 'reserved'> {
  return { clockAt: lowestIdAt(now, layout) - 1n, reserved: lowestIdAt(until, layout) - 1n };
}
