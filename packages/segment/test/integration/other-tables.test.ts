import { fromPg } from '@ids/store/postgres';
import { describe, expect, it } from 'vitest';
import {
  createSequence,
  ensureSchema,
  missingSchema,
  SqlSegmentSource,
  segmentSchema,
} from '../../src/sql/index.js';
import { DIALECTS, type TestTable } from './dialects.js';
import { openDatabase, openPool } from './sql-database.js';

/** Another table beside `id_segment`, with the name for the `table` options. */
async function createOther({ run, schema }: TestTable, columns: string, name = 'orders'): Promise<string> {
  const table = `${schema}.${name}`;
  await run(`CREATE TABLE ${table} (${columns})`);
  return table;
}

/** Statements of the application on its own table. */
async function useOther({ run }: TestTable, table: string): Promise<void> {
  await run(`INSERT INTO ${table} (id, total) VALUES (1, 10), (2, 20)`);
  await run(`UPDATE ${table} SET total = 5 WHERE id = 1`);
  await run(`DELETE FROM ${table} WHERE id = 2`);
  expect(await run(`SELECT * FROM ${table}`)).toEqual([{ id: 1, total: 5 }]);
}

const refusal = (...parts: string[]) => ({
  code: 'ERR_IDS_CONFIG',
  message: expect.stringMatching(new RegExp(parts.join('.*'), 's')),
});

describe.each(DIALECTS)('on $server, the table of an application', ({ open, dialect }) => {
  it('is refused with what was expected and found, and remains as it was', async () => {
    const test = await open();
    const { executor } = test;
    const table = await createOther(test, 'id int PRIMARY KEY, total int');
    const refused = refusal(table, 'server_name', 'max_id bigint', '\\bid int', 'total int');
    await expect(missingSchema(executor, { table })).rejects.toMatchObject(refused);
    await expect(ensureSchema(executor, { table })).rejects.toMatchObject(refused);
    await useOther(test, table);
  });

  it('is not taken over by a migration', async () => {
    const test = await open();
    const table = await createOther(test, 'id int PRIMARY KEY, total int');
    const statements = segmentSchema(table, { dialect }).split(dialect === 'mysql' ? /;\n/ : /;\n(?!.)/);
    const migrate = async () => {
      for (const text of statements) if (text.trim() !== '') await test.executor.execute(text, []);
    };
    await expect(migrate()).rejects.toThrow();
    await useOther(test, table);
  });

  it('is not taken for a grant log', async () => {
    const test = await open();
    const { executor, table } = test;
    await createOther(test, 'id int PRIMARY KEY, total int', 'id_segment_log');
    const refused = refusal('id_segment_log', 'server_name', '\\bid int');
    await expect(missingSchema(executor, { table, log: true })).rejects.toMatchObject(refused);
    await expect(ensureSchema(executor, { table, log: true })).rejects.toMatchObject(refused);
    await useOther(test, `${test.schema}.id_segment_log`);
    await createSequence(executor, 'order', { table });
    expect(await new SqlSegmentSource(executor, { table }).reserve('order', 5)).toMatchObject({
      low: 1,
      high: 5,
    });
  });

  it('is refused although it has columns of the same names', async () => {
    const test = await open();
    const { executor } = test;
    const same = 'server_name int PRIMARY KEY, max_id int, realm int, group_by int, time_zone int';
    const table = await createOther(test, `${same}, created_at int`);
    await expect(ensureSchema(executor, { table })).rejects.toMatchObject(refusal('server_name int'));
  });

  it('is accepted if it is a segment table with a column of the owner', async () => {
    const { executor, table, run } = await open();
    await run('ALTER TABLE %t ADD COLUMN remark int');
    await ensureSchema(executor, { table });
    expect(await missingSchema(executor, { table })).toEqual([]);
  });
});

describe('on Postgres', () => {
  it.each([
    ['a view', (t: string) => `CREATE VIEW ${t} AS SELECT 1 AS id`],
    ['without a primary key', (t: string) => `CREATE TABLE ${t} AS SELECT * FROM ${t}_of`],
    [
      'with a column of the reign of another type',
      (t: string) => `CREATE TABLE ${t} (LIKE ${t}_of INCLUDING ALL);
      ALTER TABLE ${t} ALTER timeline TYPE integer USING NULL`,
    ],
  ])('a table that cannot hold sequences is refused: %s', async (_what, create) => {
    const { pool, executor, schema } = await openDatabase();
    const table = `${schema}.other`;
    await ensureSchema(executor, { table: `${table}_of` });
    await pool.query(create(table));
    await expect(ensureSchema(executor, { table })).rejects.toMatchObject(refusal(table));
    const triggers = 'SELECT FROM pg_trigger WHERE tgrelid = to_regclass($1)';
    expect((await pool.query(triggers, [table])).rowCount).toBe(0);
  });

  it('knows its own table where a server quotes all identifiers', async () => {
    const { schema } = await openDatabase();
    const executor = fromPg(openPool({ options: '-c quote_all_identifiers=on' }));
    const table = `${schema}.own`;
    await ensureSchema(executor, { table });
    await ensureSchema(executor, { table });
    expect(await missingSchema(executor, { table })).toEqual([]);
  });
});
