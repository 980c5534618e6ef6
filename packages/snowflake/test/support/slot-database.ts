import { openPostgresPool, uniqueName } from '@ids/local-services';
import type { SqlDialect } from '@ids/local-services/dialects';
import type {} from '@ids/local-services/vitest-setup';
import { openDatabase } from '@ids/store/open';
import type pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { createSlots, ensureSlotSchema } from '../../src/sql/index.js';
import type { ClockedSlots } from './clocked-slots.js';
import type { SlotsOptions } from './subject.js';

/**
 * Slots named `order` in a schema of their own on the shared Postgres; gone after the test. Connections of
 * `url`, `database` and `pool` see the clock of the test, because their search path has a function
 * `clock_timestamp` before that of `pg_catalog`.
 */
export interface SlotDatabase extends ClockedSlots {
  readonly pool: pg.Pool;
  readonly schema: string;
}

/** `database` is a client of this kind; by default, the URL. */
export async function openSlotDatabase(
  { log, ...options }: SlotsOptions = {},
  kind?: SqlDialect,
): Promise<SlotDatabase> {
  const schema = uniqueName('snowflake');
  const url = new URL(inject('databaseUrl'));
  url.searchParams.set('options', `-c search_path=${schema},pg_catalog`);
  const pool = openPostgresPool(url.href, { max: 4 });
  const table = `${schema}.id_slot`;
  await pool.query(`CREATE SCHEMA ${schema}`);
  onTestFinished(async () => {
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    await pool.end();
  });
  await pool.query(
    `CREATE TABLE ${schema}.test_clock (offset_ms double precision NOT NULL, at_ms double precision)`,
  );
  await pool.query(`INSERT INTO ${schema}.test_clock VALUES (0, NULL)`);
  await pool.query(`CREATE FUNCTION ${schema}.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
    SELECT COALESCE(to_timestamp(at_ms / 1000), pg_catalog.clock_timestamp() + offset_ms * interval '1 ms')
    FROM ${schema}.test_clock $$`);
  const client = await kind?.openClient(url.href);
  if (client !== undefined) onTestFinished(client.end);
  const executor = await openDatabase(client?.database ?? pool);
  await ensureSlotSchema(executor, { table, log });
  await createSlots(executor, 'order', { table, ...options });
  const setClock: SlotDatabase['setClock'] = async (clock) => {
    const values = 'atMs' in clock ? [0, clock.atMs] : [clock.offsetMs, null];
    await pool.query(`UPDATE ${schema}.test_clock SET offset_ms = $1, at_ms = $2`, values);
  };
  return { pool, executor, schema, table, url: url.href, database: client?.database ?? url.href, setClock };
}
