import { type ReserveOptions, SequenceMovedError } from '@ids/segment';
import { SqlSegmentSource, setFloor } from '@ids/segment/sql';
import type { AfterReignChange, SqlExecutor } from '@ids/store';
import { describe, expect, it } from 'vitest';
import { TABLE_GUARDS } from '../../src/guards.js';
import { Random } from '../../src/random.js';
import { withoutGuard } from '../../src/without-guard.js';
import { BothTables, type ChangedColumns, NAME } from '../support/both-tables.js';

const STEPS = 40;
const LAST_ID = Number.MAX_SAFE_INTEGER;

/** One call, the same for both; resolves with what is compared. */
type Call = (executor: SqlExecutor, table: string) => Promise<unknown>;

function drawCall(random: Random, maxId: number): Call {
  const skip = (): AfterReignChange => random.pick(['refuse', 0, 1_000, 10_000_000, LAST_ID]);
  const after = { afterFailover: skip(), afterRestore: skip() };
  const near = () => clamp(maxId + random.pick([0, 0, 0, -1, 1, -500, 500, 1_000_000_000, 1_000_000_001]));
  const kind = random.pick([
    'reserve',
    'reserve',
    'expect',
    'expect',
    'heal',
    'set floor',
    'reinstate',
    'describe',
  ] as const);
  if (kind === 'set floor') {
    const floor = near();
    const checked = random.chance(0.5);
    return async (executor, table) => (await setFloor(executor, NAME, floor, { table, checked })).maxId;
  }
  if (kind === 'reinstate') {
    const floor = near();
    const isAnother = random.chance(0.3);
    return async (executor, table) => {
      const source = new SqlSegmentSource(executor, { table, ...after });
      const { realm, reigns } = await source.describe(NAME);
      const within = { realm, reigns: isAnother ? ['another'] : reigns };
      const { maxId } = (await source.reinstate(NAME, { within, follows: ['later'], floor })) ?? {};
      return maxId === undefined ? 'stays' : { reinstated: maxId };
    };
  }
  if (kind === 'describe') {
    return async (executor, table) =>
      (await new SqlSegmentSource(executor, { table, ...after }).describe(NAME)).maxId;
  }
  const size = random.pick([1, 10, 1_000, 1_000_000]);
  const timeoutMs = random.chance(0.5) ? 60_000 : undefined;
  const options: ReserveOptions = {
    ...(kind === 'heal' && { floor: near() }),
    ...(kind === 'expect' && { expectedMaxId: near() }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
  return async (executor, table) => {
    const source = new SqlSegmentSource(executor, { table, ...after });
    const { origin: _, ...segment } = await source.reserve(NAME, size, options);
    return segment;
  };
}

/**
 * What a promotion, a restore, a copy, an older version of the package or somebody by hand leaves in the row.
 */
function drawChange(
  random: Random,
  maxId: number,
): readonly [ChangedColumns, { readonly triggers: boolean }] {
  const columns = random.pick<ChangedColumns>([
    {},
    { timeline: '00000003' },
    { timeline: '00000000' },
    { system_id: 1 },
    { system_id: null, timeline: null, last_xact: null },
    { last_xact: 123_456_789 },
    { max_id: clamp(maxId + random.between(0, 50)) },
    { max_id: clamp(maxId - random.between(0, 50)) },
  ]);
  // The trigger refuses what lies below.
  return [columns, { triggers: (columns.max_id ?? maxId) >= maxId && random.chance(0.5) }];
}

async function outcome(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    return error instanceof SequenceMovedError
      ? { code, maxId: error.maxId }
      : { code, message: message.slice(0, 60) };
  }
}

/**
 * Plays a random sequence of calls on both, and compares what they gave and the row after
 * each. Returns the outcomes.
 */
async function play(seed: number, startAfter: number, tables: BothTables): Promise<unknown[]> {
  const random = new Random(seed, 'table parity');
  const outcomes: unknown[] = [];
  let maxId = startAfter;
  for (let step = 0; step < STEPS; step++) {
    if (random.chance(0.25)) await tables.change(...drawChange(random, maxId));
    const call = drawCall(random, maxId);
    const real = await outcome(call(tables.real, tables.table));
    const simulated = await outcome(call(tables.simulated, tables.table));
    const at = `seed ${seed}, step ${step}`;
    expect(simulated, at).toEqual(real);
    const rows = await tables.rows();
    expect(rows.simulated, at).toEqual(rows.real);
    expect(tables.replies.simulated, at).toEqual(tables.replies.real);
    const { real: noticed, model } = await tables.pending();
    expect(model, at).toBe(noticed);
    maxId = Number(rows.real.maxId);
    outcomes.push(real);
  }
  return outcomes;
}

const STARTS = [0, 99_999_999_999_900, LAST_ID - 20_000_000, LAST_ID - 500];

describe('the simulated table', () => {
  it.each(STARTS)('gives what Postgres gives, from %d on', async (start) => {
    const outcomes: unknown[] = [];
    for (let seed = 1; seed <= 3; seed++) {
      await using tables = await BothTables.open(start);
      outcomes.push(...(await play(seed, start, tables)));
    }
    // Comparing nothing finds nothing: reservations, misses and refusals must be among them.
    expect(
      outcomes.filter((one) => typeof one === 'object' && one !== null && 'low' in one).length,
    ).toBeGreaterThan(5);
    expect(
      outcomes.filter((one) => typeof one === 'object' && one !== null && 'code' in one).length,
    ).toBeGreaterThan(5);
    expect(outcomes).toContain('stays');
    // At the end, nothing can be skipped; near it, a draw decides.
    const room = LAST_ID - start;
    const isReinstated = JSON.stringify(outcomes).includes('reinstated');
    if (room <= 500 || room > 10 ** 9) expect(isReinstated).toBe(room > 500);
  });

  it.each(TABLE_GUARDS)('does so without a guard too: $name', async (guard) => {
    const { wrapTable } = withoutGuard(guard).wraps();
    for (const seed of [11, 12]) {
      await using tables = await BothTables.open(5_000, wrapTable);
      await play(seed, 5_000, tables);
    }
  });
});

function clamp(id: number): number {
  return Math.min(LAST_ID, Math.max(0, id));
}
