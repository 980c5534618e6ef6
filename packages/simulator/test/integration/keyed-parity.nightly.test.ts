import type { KeyedAnswer, KeyRequest } from '@ids/keyed';
import { deleteKey, SqlKeyedSource } from '@ids/keyed/sql';
import type { SqlExecutor } from '@ids/store';
import { describe, expect, it } from 'vitest';
import { KEYED_TABLE_GUARDS } from '../../src/guards.js';
import { Random } from '../../src/random.js';
import { withoutGuard } from '../../src/without-guard.js';
import { BothKeyTables, FAMILY } from '../support/both-key-tables.js';

const STEPS = 40;
const KEYS = ['', 'a', 'A', 'b', 'c', 'd', 'e'];
const LAST_ID = Number.MAX_SAFE_INTEGER;

/** What became of one call: the answers for its keys, or the code of an error. */
async function outcomeOf(call: Promise<KeyedAnswer | boolean>): Promise<unknown> {
  try {
    const answer = await call;
    if (typeof answer === 'boolean') return answer;
    return answer.keys.map((one) => ('refused' in one ? one.refused.code : one));
  } catch (error) {
    return (error as { code?: string }).code ?? error;
  }
}

function drawRequests(random: Random, startAfter: number): KeyRequest[] {
  return KEYS.filter(() => random.chance(0.5)).map((key) => ({
    key,
    size: random.pick([1, 3, 1_000]),
    ...(random.chance(0.2) && { startAfter: random.pick([0, startAfter + 50, LAST_ID - 1]) }),
    ...(random.chance(0.2) && { floor: random.pick([1, startAfter + 5_000]) }),
  }));
}

async function compare(
  seed: number,
  tables: BothKeyTables,
  random: Random,
  startAfter: number,
): Promise<void> {
  const skips = {
    afterFailover: random.pick([0, 100, 'refuse'] as const),
    afterRestore: random.pick([0, 1_000, 'refuse'] as const),
  };
  for (let step = 1; step <= STEPS; step++) {
    const where = `seed ${seed}, step ${step}`;
    if (random.chance(0.3)) {
      const to = random.pick(['touched', 'other system', 'earlier', 'later', 'gone'] as const);
      // A family that is gone, or superseded, reserves nothing for the rest of a run.
      const ofFamily = to !== 'gone' && to !== 'later' && random.chance(0.15);
      const key = ofFamily ? undefined : random.pick(KEYS);
      await tables.change({ key, to, triggers: random.chance(0.5) });
    }
    if (random.chance(0.15)) {
      const key = random.pick(KEYS.slice(1));
      const options = { table: tables.table, ...skips };
      const remove = (executor: SqlExecutor) => outcomeOf(deleteKey(executor, FAMILY, key, options));
      expect(await remove(tables.simulated), where).toEqual(await remove(tables.real));
    }
    const requests = drawRequests(random, startAfter);
    const options = {
      wait: random.chance(0.5),
      ...(random.chance(0.3) && { newKeys: random.pick([0, 1, 2]) }),
    };
    const call = (executor: SqlExecutor) =>
      outcomeOf(
        new SqlKeyedSource(executor, { table: tables.table, ...skips }).reserve(FAMILY, requests, options),
      );
    expect(await call(tables.simulated), where).toEqual(await call(tables.real));
    const { real, simulated } = await tables.rows();
    expect(simulated, where).toEqual(real);
  }
}

describe('the simulated tables of keys', () => {
  it.each(Array.from({ length: 12 }, (_, i) => i + 1))('answer as Postgres does, seed %i', async (seed) => {
    const random = new Random(seed, 'keyed parity');
    const startAfter = random.pick([0, 500, 2 ** 53 - 20_000]);
    await using tables = await BothKeyTables.open(startAfter);
    await compare(seed, tables, random, startAfter);
  });

  it.each(KEYED_TABLE_GUARDS)('answer as Postgres does without a guard: $name', async (guard) => {
    const { wraps } = withoutGuard(guard);
    await using tables = await BothKeyTables.open(0, wraps().wrapTable);
    await compare(1, tables, new Random(1, guard.name), 0);
  });
});
