import type { ConfiguredGenerator, SwapSide } from '@ids/config';
import { DEFAULT_SKIP, type NewReignOptions, SqlSegmentSource } from '@ids/segment/sql';
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
import { aboveOf, issuedIds } from './issued.js';
import { missingOf } from './schema-steps.js';

/** A fixed worker runs ahead of its clock by up to a second, and its clock may differ from this one. */
const WORKER_AHEAD_MS = 4_000;

const MONTH_MS = 30 * 86_400_000;

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
  const now = Date.now();
  const ofTime = layout && { clockAt: lowestIdAt(now, layout) - 1n };
  // Identifies the sequence while it has no realm.
  const shape = layout === undefined ? '' : ` ${JSON.stringify(layout)}`;
  const sequence = `${String(database)} ${table} ${name}${shape}`;
  const unmade = { guarantees, spelling, sequence, ...ofTime };
  if (database === NO_DATABASE) return { ...unmade, missing: 'a database: set IDS_DATABASE_URL' };
  const creates = await missingFrom(needed);
  const missing = creates.length === 0 ? {} : { missing: creates.join(', ') };
  if (creates.some((what) => /^(?:table|sequence|slots) /.test(what))) return { ...unmade, ...missing };
  const known = await whatIsReserved(needed, layout, generator);
  return { ...unmade, ...known, ...missing };
}

/** If no sequence can follow the ids of its column, the plan says so, and not this error. */
async function missingFrom(needed: NeededTable): Promise<string[]> {
  const sequences = needed.sequences.map((sequence) => ({ ...sequence, columns: [] }));
  const steps = await missingOf(needed).catch(() => missingOf({ ...needed, sequences }));
  return steps.flatMap(({ creates }) => creates);
}

async function whatIsReserved(
  needed: NeededTable,
  layout: Layout | undefined,
  { options }: ConfiguredGenerator,
): Promise<Partial<SwapSide>> {
  const { database, table, sequences } = needed;
  const [sequence] = sequences;
  if (sequence === undefined) return {};
  const { name, hashes } = sequence;
  const executor = await openDatabase(database);
  try {
    if (layout === undefined) {
      const { realm, maxId, pending } = await new SqlSegmentSource(executor, { table }).describe(name);
      // The column is looked at for both sides at once.
      const known = aboveOf(await issuedIds(executor, needed, { ...sequence, columns: [] }), maxId)?.upTo;
      const hash = hashes[0]?.key;
      return {
        sequence: realm,
        reserved: BigInt(maxId),
        known,
        hash,
        pending: pending !== undefined,
        leap: leapOf(options),
      };
    }
    const { grantedUntil, now } = await new SqlSlotTable(executor, { name, table, layout }).describe();
    return idsAt(layout, now, grantedUntil);
  } finally {
    await executor.close();
  }
}

/** The most ids that one failover or restore skips. */
function leapOf({ afterFailover, afterRestore }: NewReignOptions): bigint {
  const skips = [afterFailover ?? DEFAULT_SKIP, afterRestore ?? DEFAULT_SKIP].filter(
    (skip) => typeof skip === 'number',
  );
  return BigInt(Math.max(0, ...skips));
}

/** No table knows how far a fixed worker is, so this is as far as it can be now. */
function workerSide(
  layout: Layout,
  number: number,
): Pick<SwapSide, 'clockAt' | 'clockInAMonth' | 'reserved' | 'worker'> {
  const now = Date.now();
  const worker = { number, layout: JSON.stringify(layout), aheadMs: WORKER_AHEAD_MS };
  return { ...idsAt(layout, now, now + WORKER_AHEAD_MS), worker };
}

/** `now` and `until` in milliseconds since 1970: the clock, and the end of the time that was granted. */
function idsAt(
  layout: Layout,
  now: number,
  until: number,
): Pick<SwapSide, 'clockAt' | 'clockInAMonth' | 'reserved'> {
  const [clockAt, clockInAMonth, reserved] = [now, now + MONTH_MS, until].map(
    (at) => lowestIdAt(at, layout) - 1n,
  );
  return { clockAt, clockInAMonth, reserved };
}
