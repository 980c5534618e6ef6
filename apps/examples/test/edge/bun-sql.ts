/**
 * What Postgres through `Bun.sql` must do as through other clients: the contracts of sources of segments and
 * of keys, the guards of the tables, and the warning that it hears no warnings. Runs in Bun, on the server of
 * its own at `DATABASE_URL`; exits with 1 at the first case that fails.
 */
import assert from 'node:assert/strict';
import { runKeyedSourceContract, runSegmentSourceContract } from '@ids/conformance';
import { ensureKeyedSchema, SqlKeyedSource } from '@ids/keyed/sql';
import {
  type BunSqlLike,
  createSequence,
  ensureSchema,
  fromBunSql,
  SqlSegmentSource,
} from '@ids/segment/sql';

type Client = BunSqlLike & { unsafe(text: string): Promise<unknown>; close(): Promise<void> };

const { Bun } = globalThis as unknown as {
  readonly Bun: { readonly SQL: new (options: { readonly url: string; readonly max: number }) => Client };
};
const client = new Bun.SQL({ url: process.env.DATABASE_URL ?? '', max: 8 });
const executor = fromBunSql(client);

const cases: (readonly [name: string, run: () => unknown])[] = [];
let skipped = 0;
const it = Object.assign((name: string, run: () => unknown) => void cases.push([name, run]), {
  skip: () => void skipped++,
});
const runner = { describe: (_name: string, body: () => void) => body(), it };

let tables = 0;
async function openTable(): Promise<string> {
  const table = `bun_${++tables}`;
  await ensureSchema(executor, { table, log: true });
  return table;
}

runSegmentSourceContract(
  {
    name: 'SqlSegmentSource over Bun.sql',
    open: async () => {
      const table = await openTable();
      return {
        source: new SqlSegmentSource(executor, { table, log: true }),
        createSequence: (name, startAfter) => createSequence(executor, name, { startAfter, table }),
      };
    },
  },
  runner,
);

runKeyedSourceContract(
  {
    name: 'SqlKeyedSource over Bun.sql',
    open: async () => {
      const table = `bun_${++tables}`;
      await ensureKeyedSchema(executor, { table, log: true });
      const source = () => new SqlKeyedSource(executor, { table, log: true });
      return {
        source: source(),
        other: source(),
        createFamily: (family, startAfter, group) =>
          createSequence(executor, family, { startAfter, group, table }),
        lock: async (family, key) => {
          const holder = await client.reserve();
          await holder.unsafe('BEGIN');
          const held = `family = '${family}' AND sequence_key = '${key}'`;
          await holder.unsafe(`SELECT 1 FROM ${table}_key WHERE ${held} FOR UPDATE`);
          return async () => {
            await holder.unsafe('COMMIT');
            holder.release();
          };
        },
      };
    },
  },
  runner,
);

it('the guards of the table refuse what would repeat ids', async () => {
  const table = await openTable();
  await createSequence(executor, 'order', { startAfter: 10, table });
  for (const sql of [`UPDATE ${table} SET max_id = 9`, `DELETE FROM ${table}`, `TRUNCATE ${table}`]) {
    await assert.rejects(executor.execute(sql, []), /rejected/, sql);
  }
});

it('a row that was written past the guard is noticed, and skipped ahead in', async () => {
  const table = await openTable();
  await createSequence(executor, 'order', { table });
  const source = new SqlSegmentSource(executor, { table, afterRestore: 1_000 });
  await source.reserve('order', 100);
  await client.unsafe(`ALTER TABLE ${table} DISABLE TRIGGER USER; UPDATE ${table} SET max_id = 20`);
  const { low, newReign } = await source.reserve('order', 1);
  assert.deepEqual([low, newReign], [1_021, { cause: 'restore', skipped: 1_000 }]);
});

// The last one: from then on, commits wait for a standby.
it('a client that hears no warnings says so if a standby must confirm', async () => {
  const table = await openTable();
  await createSequence(executor, 'order', { table });
  await executor.execute(`ALTER SYSTEM SET synchronous_standby_names = 'nobody'`, []);
  await executor.execute('SELECT pg_reload_conf()', []);
  const until = performance.now() + 30_000;
  let warnings: readonly string[] = [];
  while (!warnings.some((warning) => /do not arrive, because Bun/.test(warning))) {
    assert.ok(performance.now() < until, `not warned: ${warnings.join('; ')}`);
    ({ warnings = [] } = await new SqlSegmentSource(executor, { table }).describe('order'));
  }
});

for (const [name, run] of cases) {
  try {
    await run();
  } catch (error) {
    console.error(`Bun.sql: ${name}`, error);
    process.exit(1);
  }
}
console.log(`Bun.sql: ${cases.length} cases, ${skipped} skipped`);
process.exit(0);
