import type { ConfiguredGenerator } from '@ids/config';
import type { SwapSide } from '@ids/config/swap';
import type { StorePosition, TimedIds } from '@ids/core';
import { type NeededTable, NO_DATABASE, neededTables, openBounded } from '../tables/generators.js';
import { aboveOf, issuedIds } from '../tables/issued.js';
import { missingOf } from '../tables/schema-steps.js';

const MONTH_MS = 30 * 86_400_000;

/** One of the two generators between which a service swaps, with what its table knows. */
export async function sideOf(generator: ConfiguredGenerator): Promise<SwapSide> {
  const { guarantees, encode, store, timed } = generator;
  const [needed] = neededTables([generator]);
  if (store === undefined || needed === undefined) {
    return { guarantees, encode, ...(timed && workerSide(timed)) };
  }
  const { database, table, name, entry } = store;
  const ofTime = timed && { clockAt: timed.lowestAt(Date.now()) - 1n };
  // Identifies the sequence while it has no realm.
  const shape = timed === undefined ? '' : ` ${timed.layout}`;
  const sequence = `${String(database)} ${table} ${name}${shape}`;
  const unmade = { guarantees, encode, sequence, ...ofTime };
  if (database === NO_DATABASE) return { ...unmade, missing: 'a database: set IDS_DATABASE_URL' };
  const creates = await missingFrom(needed);
  const missing = creates.length === 0 ? {} : { missing: creates.join(', ') };
  if (creates.some((what) => /^(?:key )?table /.test(what) || what.startsWith(entry)))
    return { ...unmade, ...missing };
  return { ...unmade, ...(await whatIsReserved(needed, timed)), ...missing };
}

/** If no sequence can follow the ids of its column, the plan says so, and not this error. */
async function missingFrom(needed: NeededTable): Promise<string[]> {
  const entries = needed.entries.map((entry) => ({ ...entry, columns: [] }));
  const steps = await missingOf(needed).catch(() => missingOf({ ...needed, entries }));
  return steps.flatMap(({ creates }) => creates);
}

async function whatIsReserved(needed: NeededTable, timed: TimedIds | undefined): Promise<Partial<SwapSide>> {
  const [entry] = needed.entries;
  if (entry === undefined) return {};
  const { store, hashes } = entry;
  await using executor = await openBounded(needed.database);
  const { realm, reserved, pending, leap, now = Date.now() } = await store.describe(executor);
  if (timed !== undefined) return { ...clockOf(timed, now), reserved };
  // The column is looked at for both sides at once.
  const known = aboveOf(await issuedIds(executor, needed, { ...entry, columns: [] }), reserved)?.upTo;
  return {
    ...(realm !== undefined && { sequence: realm }),
    reserved,
    known,
    hash: hashes[0]?.key,
    pending: pending !== undefined,
    leap: leap ?? leapOf(store.position?.skips),
  };
}

/** The most ids that one failover or restore skips. */
function leapOf(skips: StorePosition['skips'] | undefined): bigint {
  return BigInt(Math.max(0, ...Object.values(skips ?? {}).filter((skip) => typeof skip === 'number')));
}

/** No table knows how far a fixed worker is, so this is as far as it can be now. */
function workerSide(
  timed: TimedIds,
): Pick<SwapSide, 'clockAt' | 'clockInAMonth' | 'reserved' | 'worker'> | undefined {
  const { worker, layout } = timed;
  if (worker === undefined) return undefined;
  const now = Date.now();
  const reserved = timed.lowestAt(now + worker.aheadMs) - 1n;
  return { ...clockOf(timed, now), reserved, worker: { ...worker, layout } };
}

function clockOf({ lowestAt }: TimedIds, now: number): Pick<SwapSide, 'clockAt' | 'clockInAMonth'> {
  return { clockAt: lowestAt(now) - 1n, clockInAMonth: lowestAt(now + MONTH_MS) - 1n };
}
