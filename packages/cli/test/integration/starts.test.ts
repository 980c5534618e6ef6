import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMysqlDatabase } from '@ids/local-services';
import { SQL_DIALECTS } from '@ids/local-services/dialects';
import type {} from '@ids/local-services/vitest-mariadb';
import { openDatabase } from '@ids/store/open';
import pg from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { type OwnSchema, openOwnSchema } from '../support/own-schema.js';
import { openOwnTable } from '../support/own-table.js';
import { type Ran, runIds } from '../support/run-ids.js';

const INPROC = { strategy: 'segment-inproc', minStep: 10, maxStep: 10 };

/** Statements, the column, and the first id, or the name in a refusal. `$` is the schema. */
type Case = readonly [what: string, setup: readonly string[], column: string, right: number | string];

const ORDERS = ['CREATE TABLE orders (id bigint)', 'INSERT INTO orders VALUES (7), (48000)'];

const SPELLINGS: readonly Case[] = [
  ['a table that is misspelt', ORDERS, 'order.id', '$.orders.id'],
  ['a column that is missing', ORDERS, 'orders.no', 'orders.no'],
  ['another schema', ORDERS, 'nowhere.orders.id', '$.orders.id'],
  ['its schema', ORDERS, '$.orders.id', 48_001],
];

type Ids = (...argv: string[]) => Promise<Ran>;

/** The first id after `apply`, or its exit code and what it says. */
async function firstId(ids: Ids): Promise<number | string> {
  const { code, stderr } = await ids('apply');
  return code === 0 ? Number((await ids('next', 'order')).stdout) : `${code} ${stderr}`;
}

function expected(right: number | string, schema: string): unknown {
  if (typeof right === 'number') return right;
  return expect.stringMatching(new RegExp(`^3 [^]*${right.replace('$', schema).replaceAll('.', '\\.')}`));
}

/** Runs the command beside a config of its own. */
async function configured(database: string, order: object): Promise<Ids> {
  const folder = await mkdtemp(join(tmpdir(), 'ids-cli-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'ids.config.json'), JSON.stringify({ database, generators: { order } }));
  return (...argv) => runIds(folder, argv);
}

async function openOrders(setup: readonly string[], column = 'orders.id'): Promise<OwnSchema & { run: Ids }> {
  const own = await openOwnSchema();
  for (const sql of setup) await own.executor.execute(sql, []);
  await own.configure({ order: { ...INPROC, column: column.replace('$', own.schema) } });
  return { ...own, run: (...argv) => own.ids(argv) };
}

describe('ids apply on Postgres', () => {
  it.each<Case>([
    ...SPELLINGS,
    ['a column in another case', ORDERS, 'orders.ID', '$.orders.id'],
    ['a table in another case', ['CREATE TABLE "Orders" (id bigint)'], 'orders.id', '$.Orders.id'],
    [
      'a name in quotes',
      ['CREATE TABLE "Order Items" ("the-ID" bigint)', 'INSERT INTO "Order Items" VALUES (48000)'],
      '"Order Items"."the-ID"',
      48_001,
    ],
    [
      'a serial column whose newest rows are gone',
      ['CREATE TABLE orders (id bigserial)', "SELECT setval('orders_id_seq', 48000)"],
      'orders.id',
      48_001,
    ],
    [
      'a default from a sequence that is not its own',
      ["CREATE SEQUENCE s; CREATE TABLE orders (id bigint DEFAULT nextval('s')); SELECT setval('s', 48000)"],
      'orders.id',
      48_001,
    ],
  ])('starts above the ids of %s, or names what is meant', async (_, setup, column, right) => {
    const { schema, run } = await openOrders(setup, column);
    expect(await firstId(run)).toEqual(expected(right, schema));
  });

  it('does not choose among tables of one name on the search path', async () => {
    const [own, other] = [await openOrders(ORDERS.slice(0, 1)), await openOrders(ORDERS)];
    const url = new URL(own.url);
    url.searchParams.set('options', `-c search_path=${own.schema},${other.schema}`);
    const found = await firstId((...argv) => own.ids(argv, { IDS_DATABASE_URL: url.href }));
    expect(found).toEqual(expected('$.orders.id', other.schema));
  });

  it('does not read the tables of another schema than the URL names', async () => {
    const own = await openOrders(ORDERS);
    const url = new URL(inject('databaseUrl'));
    url.searchParams.set('schema', own.schema);
    const found = await firstId((...argv) => own.ids(argv, { IDS_DATABASE_URL: url.href }));
    expect(found).toEqual(expected('$.id_segment', own.schema));
  });

  it('starts above ids that are not committed yet', async () => {
    const { url, run } = await openOrders(['CREATE TABLE orders (id int GENERATED ALWAYS AS IDENTITY)']);
    const client = new pg.Client(url);
    await client.connect();
    onTestFinished(() => client.end());
    await client.query('BEGIN');
    await client.query('INSERT INTO orders SELECT FROM generate_series(1, 300)');
    expect(await firstId(run)).toBe(301);
  });

  it('takes no sequence from a role that does not see all rows', async () => {
    const own = await openOrders(ORDERS);
    const { url } = await own.roleWith(
      'GRANT USAGE, CREATE ON SCHEMA $schema TO $role',
      'GRANT SELECT ON orders TO $role',
      'ALTER TABLE orders ENABLE ROW LEVEL SECURITY',
    );
    const as: Ids = (...argv) => own.ids(argv, { IDS_DATABASE_URL: url });
    expect(await firstId(as)).toEqual(expected('BYPASSRLS', own.schema));
    expect((await as('apply', '--start-after', '48000')).stdout).toContain('after 48000, as --start-after');
    expect(await as('floor', 'order', '50000')).toMatchObject({ code: 3, stdout: '' });
    const { code, stdout } = await as('doctor');
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: expect.stringMatching(/^wrong\tcolumn .*BYPASSRLS/m),
    });
  });

  it('takes the start from whoever knows it, and no lower one than it can see', async () => {
    const { run, ids } = await openOrders(ORDERS, 'later.id');
    for (const argv of [['apply'], ['apply', '--dry-run']])
      expect(await run(...argv)).toMatchObject({ code: 3, stdout: '' });
    const offline = { IDS_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
    expect(await ids(['apply', '--dry-run'], offline)).toMatchObject({ code: 3, stdout: '' });
    const later = await run('apply', '--start-after', '20', '--json');
    expect(JSON.parse(later.stdout).starts).toEqual([
      { sequence: 'order', table: 'id_segment', startAfter: 20, read: [] },
    ]);
    const seen = await openOrders(ORDERS);
    const { starts } = JSON.parse((await seen.run('apply', '--start-after', '20', '--json')).stdout);
    const read = `${seen.schema}.orders.id`;
    expect(starts).toEqual([
      { sequence: 'order', table: 'id_segment', startAfter: 48_000, read: [read], where: read },
    ]);
  });
});

describe('ids floor on Postgres', () => {
  it.each([
    ['ids', 'orders.id', 'INSERT INTO orders VALUES (48000)', 1],
    ['numbers that were given', 'orders.id', "SELECT setval('orders_id_seq', 48000)", 1],
    ['what cannot be read', 'order.id', 'SELECT 1', 3],
  ])('refuses a floor below %s, without --force', async (_, column, sql, code) => {
    const { run, executor } = await openOrders(['CREATE TABLE orders (id bigserial)'], column);
    await run('apply', '--start-after', '0');
    await executor.execute(sql, []);
    expect(await run('floor', 'order', '2000')).toMatchObject({ code, stdout: '' });
    expect(await run('floor', 'order', '2000', '--force')).toMatchObject({ code: 0 });
  });
});

describe('ids apply on MariaDB', () => {
  it.each<Case>([
    ...SPELLINGS,
    ['a table in another case', ORDERS, 'Orders.id', '$.orders.id'],
    ['a name in quotes', ['CREATE TABLE `a-b` (id int)'], '`a-b`.id', 1],
    [
      'a table whose newest rows are gone',
      ['CREATE TABLE orders (id int AUTO_INCREMENT PRIMARY KEY)', ORDERS[1] ?? '', 'DELETE FROM orders'],
      'orders.id',
      48_001,
    ],
  ])('starts above the ids of %s, or names what is meant', async (_, setup, column, right) => {
    const url = await createMysqlDatabase(inject('mysqlUrl'));
    const executor = await openDatabase(url);
    onTestFinished(() => executor.close());
    for (const sql of setup) await executor.execute(sql, []);
    const name = new URL(url).pathname.slice(1);
    const ids = await configured(url, { ...INPROC, column: column.replace('$', name) });
    expect(await firstId(ids)).toEqual(expected(right, name));
  });
});

describe('ids apply on SQLite', () => {
  it.each<Case>([
    ['a table that is misspelt', ORDERS, 'order.id', 'orders.id'],
    ['a column in another case', ORDERS, 'orders.ID', 48_001],
    ['text', ['CREATE TABLE orders (id text)', ...ORDERS.slice(1)], 'orders.id', 48_001],
    [
      'a table whose newest rows are gone',
      ['CREATE TABLE orders (id integer PRIMARY KEY AUTOINCREMENT)', ORDERS[1] ?? '', 'DELETE FROM orders'],
      'orders.id',
      48_001,
    ],
  ])('starts above the ids of %s, or names what is meant', async (_, setup, column, right) => {
    const folder = await mkdtemp(join(tmpdir(), 'ids-cli-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const database = `sqlite:${join(folder, 'ids.db')}`;
    const executor = await openDatabase(database);
    onTestFinished(() => executor.close());
    for (const sql of setup) await executor.execute(sql, []);
    const ids = await configured(database, { ...INPROC, as: 'string', column });
    expect(await firstId(ids)).toEqual(expected(right, ''));
  });
});

describe.each(SQL_DIALECTS)('ids apply on $server, of a sequence that was lost', (kind) => {
  it.each(['DROP TABLE', 'TRUNCATE'])(
    'starts above what it was used for before a %s, and says so',
    async (sql) => {
      const own = await openOwnTable(kind);
      await own.configure({ order: { ...INPROC, minStep: 5, maxStep: 5, log: true } });
      await own.ids('apply');
      // Two segments, whose ends 5 and 10 are in another order as text.
      for (let twice = 0; twice < 2; twice++) await own.ids('next', 'order');
      if (sql === 'TRUNCATE' && kind.dialect === 'postgres')
        await own.run(`ALTER TABLE ${own.table} DISABLE TRIGGER ALL`);
      await own.run(`${sql} ${own.table}`);
      const refused = await own.ids('next', 'order');
      expect(refused).toMatchObject({ code: 3, stdout: '' });
      const doctor = await own.ids('doctor');
      for (const advice of [refused.stderr, doctor.stdout])
        expect(advice).toMatch(/first stop all processes.* ids apply --start-after <the highest ID/);
      const applied = await own.ids('apply');
      expect(applied.stdout).toContain(`after 10: the greatest id in the grant log ${own.table}_log`);
      expect(applied.stderr).toContain('was used before');
      expect((await own.ids('next', 'order')).stdout).toBe('11\n');
    },
  );
});

describe('ids apply on Postgres, of a table in a schema of its own', () => {
  it('creates the schema', async () => {
    const own = await openOwnSchema();
    const table = `${own.schema}_ids.id_segment`;
    onTestFinished(
      async () => void (await own.executor.execute(`DROP SCHEMA ${own.schema}_ids CASCADE`, [])),
    );
    await own.configure({ order: { ...INPROC, table } });
    const { url } = await own.roleWith();
    const denied = await own.ids(['apply'], { IDS_DATABASE_URL: url });
    expect(denied).toMatchObject({ code: 3, stdout: '' });
    expect(denied.stderr).toMatch(/GRANT CREATE ON DATABASE/);
    const sql = (await own.ids(['apply', '--dry-run'])).stdout;
    expect(sql).toContain(`CREATE SCHEMA "${own.schema}_ids"`);
    expect((await own.ids(['apply'])).stdout).toContain(
      `created schema ${own.schema}_ids\ncreated table ${table}`,
    );
    expect((await own.ids(['apply'])).stdout).toBe('nothing to create\n');
  });

  it('does not begin beside the table that was used so far, which is moved as it says', async () => {
    const own = await openOwnSchema();
    const schema = `${own.schema}_ids`;
    onTestFinished(async () => void (await own.executor.execute(`DROP SCHEMA ${schema} CASCADE`, [])));
    const order = { ...INPROC, log: true };
    await own.configure({ order });
    await own.ids(['apply']);
    await own.ids(['next', 'order']);
    await own.configure({ order: { ...order, table: `${schema}.id_segment` } });
    const { code, stdout, stderr } = await own.ids(['apply']);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    const [, moves = ''] = /move it: (.*?)\. If/.exec(stderr) ?? [];
    for (const statement of moves.split('; ')) await own.executor.execute(statement, []);
    expect(await own.ids(['apply'])).toMatchObject({ code: 0, stdout: 'nothing to create\n' });
    expect((await own.ids(['next', 'order'])).stdout).toBe('11\n');
    expect((await own.ids(['inspect', '11'])).stdout).toMatch(/segment\t11\.\.20/);
  });
});
