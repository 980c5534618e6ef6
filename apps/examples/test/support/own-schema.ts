import { openPostgresPool, uniqueName } from '@ids/local-services';
import { createSequence, ensureSchema, fromPg } from '@ids/segment/sql';
import type pg from 'pg';

/** A schema that no other test uses, with an empty table `orders (id, item)` and a sequence `order`. */
export interface OwnSchema extends AsyncDisposable {
  readonly name: string;
  /** Connections made by it find the schema's tables first. */
  readonly url: string;
  readonly pool: pg.Pool;
}

export async function ownSchema(database: string): Promise<OwnSchema> {
  const name = uniqueName('recipe');
  const own = new URL(database);
  own.searchParams.set('options', `-c search_path=${name}`);
  const url = own.href;
  const pool = openPostgresPool(url, { max: 2 });
  await pool.query(`CREATE SCHEMA ${name}`);
  await pool.query('CREATE TABLE orders (id bigint PRIMARY KEY, item text NOT NULL)');
  const executor = fromPg(pool);
  await ensureSchema(executor);
  await createSequence(executor, 'order');
  return {
    name,
    url,
    pool,
    [Symbol.asyncDispose]: async () => {
      await pool.query(`DROP SCHEMA ${name} CASCADE`);
      await pool.end();
    },
  };
}
