import { createSequence, ensureSchema, SqlSegmentSource } from '@ids/segment/sql';
import { describe, expect, it } from 'vitest';
import { openOwnSchema } from '../support/own-schema.js';
import { madeBy } from '../support/run-ids.js';

const INPROC = { strategy: 'segment-inproc' };
const TICKETS = { ...INPROC, name: 'tickets', group: { by: 'day', timeZone: '+08:00' } };

/** Runs what a migration would run. */
async function migrate({ executor }: Awaited<ReturnType<typeof openOwnSchema>>, sql: string): Promise<void> {
  await executor.execute(`DO $run$ BEGIN ${sql} END $run$`, []);
}

describe('ids apply', () => {
  it('makes what a config needs, says what, and makes it once', async () => {
    const own = await openOwnSchema();
    await own.configure({
      order: { strategy: 'segment-redis-db' },
      again: { ...INPROC, name: 'order', log: true },
      ticket: TICKETS,
      event: { strategy: 'objectid' },
    });
    const [order, tickets] = ['order', 'tickets'].map((name) => `sequence ${name} in table id_segment`);
    const made = ['table id_segment', 'grant log id_segment_log', order, tickets];
    expect(madeBy(await own.ids(['apply', '--json']))).toEqual(made);
    expect(madeBy(await own.ids(['apply', '--json']))).toEqual([]);
    expect((await own.ids(['next', 'again', '-n', '2'])).stdout).toBe('1\n2\n');
    expect((await own.ids(['next', 'ticket'])).stdout).toMatch(/^\d{8}00000001\n$/);
  });

  it('gives an existing config a second sequence, and leaves the first one where it is', async () => {
    const own = await openOwnSchema();
    await ensureSchema(own.executor);
    await createSequence(own.executor, 'order', { startAfter: 500 });
    await own.configure({ order: INPROC, bill: INPROC });
    expect((await own.ids(['apply', '--json'])).stdout).toBe(
      '{"made":["sequence bill in table id_segment"],"starts":[{"sequence":"bill","table":"id_segment","startAfter":0,"read":[]}]}\n',
    );
    expect((await own.ids(['next', 'order'])).stdout).toBe('501\n');
    expect((await own.ids(['next', 'bill'])).stdout).toBe('1\n');
  });

  it('makes slots with the layout of their generator, beside sequences, and reads their ids', async () => {
    const own = await openOwnSchema();
    const snowflake = { strategy: 'snowflake', startup: 'at-once' };
    await own.configure({
      event: { ...snowflake, as: 'number' },
      order: { ...snowflake, log: true, table: `${own.schema}.order_slot` },
      local: { ...snowflake, worker: 7 },
      bill: INPROC,
    });
    const { stdout: sql } = await own.ids(['apply', '--dry-run']);
    await migrate(own, sql);
    expect(madeBy(await own.ids(['apply', '--json']))).toEqual([]);
    const again = await openOwnSchema();
    await again.configure({ event: { ...snowflake, as: 'number' }, bill: INPROC });
    expect(madeBy(await again.ids(['apply', '--json']))).toEqual([
      'table id_slot',
      'slots event in table id_slot, layout 41+6+6',
      'table id_segment',
      'sequence bill in table id_segment',
    ]);
    const { stdout: event } = await again.ids(['next', 'event']);
    expect(Number.isSafeInteger(Number(event))).toBe(true);
    const { stdout: read } = await again.ids(['inspect', event.trim()]);
    expect(read).toMatch(/generator\s+event/);
    expect(read).toMatch(/time\s+20\d\d-.*Z\s+layout 41\+6\+6@1735689600000/);
    expect(read).toMatch(/slot\s+0/);
    const { stdout: order } = await own.ids(['next', 'order']);
    expect((await own.ids(['inspect', order.trim()])).stdout).toMatch(
      /time\s+20\d\d-.*Z\s+.*layout 41\+10\+12@/,
    );
    expect((await own.ids(['next', 'local'])).stdout).toMatch(/^\d{18}\n$/);
    expect((await own.ids(['doctor'])).stdout).toMatch(/^ok\tgenerator order\t/m);
  });

  it('leaves the table of an application alone, and prints no SQL for it', async () => {
    const own = await openOwnSchema();
    await own.executor.execute('CREATE TABLE orders (id bigint PRIMARY KEY, total int)', []);
    await own.executor.execute('INSERT INTO orders VALUES (1, 10)', []);
    await own.configure({ order: { ...INPROC, table: 'orders' } });
    const refused = {
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(/generators\.order: .*\borders\b.*id bigint/),
    };
    expect(await own.ids(['apply', '--dry-run'])).toMatchObject(refused);
    expect(await own.ids(['apply'])).toMatchObject(refused);
    expect((await own.ids(['doctor'])).stdout).toMatch(/^wrong\ttable orders\t/m);
    await own.executor.execute('DELETE FROM orders', []);
  });

  it('refuses one table for sequences and for slots, also where a schema is named once', async () => {
    const own = await openOwnSchema();
    const snowflake = { strategy: 'snowflake', table: 'ids' };
    await own.configure({ order: { ...INPROC, table: 'ids' }, event: snowflake });
    for (const argv of [['apply'], ['apply', '--dry-run'], ['next', 'order']])
      expect((await own.ids(argv)).stderr).toMatch(/generators\.event: snowflake .*"ids"/);
    await own.configure({ order: { ...INPROC, table: `${own.schema}.ids` }, event: snowflake });
    expect(await own.ids(['apply'])).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/generators\.event: .*\bids\b.*until_ms/),
    });
    expect((await own.ids(['next', 'order'])).stdout).toBe('1\n');
  });

  it('makes the procedure for other languages where that is asked for, and keeps it up to date', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: INPROC, event: { strategy: 'snowflake' } });
    await migrate(own, (await own.ids(['apply', '--dry-run', '--procedure'])).stdout);
    expect(madeBy(await own.ids(['apply', '--procedure', '--json']))).toEqual([]);
    const call = () => own.executor.execute(`CALL ids_reserve('order', 10)`, []);
    expect((await call()).rows).toEqual([{ low: '1', high: '10' }]);
    await own.configure({ order: INPROC, bill: { ...INPROC, name: 'order', afterRestore: 'refuse' } });
    expect(madeBy(await own.ids(['apply', '--json']))).toEqual([]);
    expect(madeBy(await own.ids(['apply', '--procedure', '--json']))).toEqual([
      'procedure ids_reserve for table id_segment',
    ]);
    const again = await openOwnSchema();
    await again.configure({ order: INPROC });
    expect(madeBy(await again.ids(['apply', '--procedure', '--json']))).toEqual([
      'table id_segment',
      'sequence order in table id_segment',
      'procedure ids_reserve for table id_segment',
    ]);
  });

  it('makes a second table', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: INPROC, bill: { ...INPROC, table: `${own.schema}.bills` } });
    expect(madeBy(await own.ids(['apply', '--json']))).toEqual([
      'table id_segment',
      'sequence order in table id_segment',
      `table ${own.schema}.bills`,
      `sequence bill in table ${own.schema}.bills`,
    ]);
  });

  it('starts a sequence after the ids that its column holds', async () => {
    const own = await openOwnSchema();
    await own.executor.execute('CREATE TABLE orders (id bigint)', []);
    await own.executor.execute('INSERT INTO orders VALUES (7), (48001)', []);
    const [order, line] = [
      { ...INPROC, column: 'orders.id' },
      { ...INPROC, column: 'lines.id' },
    ];
    await own.executor.execute('CREATE TABLE lines (id bigint)', []);
    await own.configure({ order, line });
    const starts = [
      { sequence: 'order', startAfter: 48_001, where: `${own.schema}.orders.id` },
      { sequence: 'line', startAfter: 0, read: [`${own.schema}.lines.id`] },
    ];
    expect(JSON.parse((await own.ids(['apply', '--json'])).stdout)).toMatchObject({ starts });
    expect((await own.ids(['next', 'order'])).stdout).toBe('48002\n');
  });

  it('starts a sequence that generators share after the ids of all their columns', async () => {
    const own = await openOwnSchema();
    await own.executor.execute('CREATE TABLE orders (id bigint)', []);
    await own.executor.execute('CREATE TABLE returns (id bigint)', []);
    await own.executor.execute('INSERT INTO orders VALUES (5)', []);
    await own.executor.execute('INSERT INTO returns VALUES (90)', []);
    const shared = { ...INPROC, name: 'paper' };
    await own.configure({
      order: { ...shared, column: 'orders.id' },
      return: { ...shared, column: 'returns.id' },
      later: { ...shared, column: 'orders.id' },
      copy: shared,
    });
    const starts = [{ sequence: 'paper', startAfter: 90, where: `${own.schema}.returns.id` }];
    expect(JSON.parse((await own.ids(['apply', '--json'])).stdout)).toMatchObject({ starts });
    expect((await own.ids(['next', 'order'])).stdout).toBe('91\n');
  });

  it('starts a shared sequence after the ids of all columns also where URLs of the database differ', async () => {
    const own = await openOwnSchema();
    await own.executor.execute('CREATE TABLE orders (id bigint)', []);
    await own.executor.execute('CREATE TABLE returns (id bigint)', []);
    await own.executor.execute('INSERT INTO orders VALUES (5)', []);
    await own.executor.execute('INSERT INTO returns VALUES (90)', []);
    await ensureSchema(own.executor);
    const { url } = await own.roleWith(
      'GRANT USAGE ON SCHEMA $schema TO $role',
      'GRANT SELECT ON id_segment, returns TO $role',
    );
    const shared = { ...INPROC, name: 'paper' };
    await own.configure({
      order: { ...shared, column: 'orders.id' },
      return: { ...shared, column: 'returns.id', database: url, table: `${own.schema}.id_segment` },
    });
    const starts = [{ sequence: 'paper', startAfter: 90, where: `${own.schema}.returns.id` }];
    expect(JSON.parse((await own.ids(['apply', '--json'])).stdout)).toMatchObject({ starts });
    expect((await own.ids(['next', 'order'])).stdout).toBe('91\n');
  });

  it('starts a sequence after the ids of a column of any type of numbers', async () => {
    const own = await openOwnSchema();
    await own.executor.execute('CREATE DOMAIN order_no AS bigint', []);
    await own.executor.execute('CREATE DOMAIN special_no AS order_no', []);
    const types = [
      'smallint',
      'integer',
      'numeric(9, 2)',
      'real',
      'double precision',
      'order_no',
      'special_no',
    ];
    for (const [i, type] of types.entries()) {
      await own.executor.execute(`CREATE TABLE t${i} (id ${type})`, []);
      await own.executor.execute(`INSERT INTO t${i} VALUES (7), (1234)`, []);
    }
    await own.executor.execute("INSERT INTO t2 VALUES ('NaN')", []);
    await own.executor.execute("INSERT INTO t4 VALUES (9007199254740989), ('Infinity'), ('NaN')", []);
    await own.configure(
      Object.fromEntries(types.map((_, i) => [`g${i}`, { ...INPROC, column: `t${i}.id` }])),
    );
    const { code, stderr } = await own.ids(['apply']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const next = types.map(async (_, i) => (await own.ids(['next', `g${i}`])).stdout);
    expect(await Promise.all(next)).toEqual(
      types.map((type) => (type === 'double precision' ? '9007199254740990\n' : '1235\n')),
    );
  });

  it('starts a sequence after the ids that a column holds as text', async () => {
    const own = await openOwnSchema();
    await own.executor.execute('CREATE TABLE orders (id text, code varchar(30), padded char(20))', []);
    const values =
      "('7', '12', '48001'), ('00099999', '5a17b9d9ab102555b9c38874', 'ord_5')" +
      ", ('48001', '250278837173092352', NULL), ('9007199254740992', '550000000000000000000001', '9')";
    await own.executor.execute(`INSERT INTO orders VALUES ${values}`, []);
    const of = (column: string) => ({ ...INPROC, as: 'string', column: `orders.${column}` });
    await own.configure({ order: of('id'), code: of('code'), padded: of('padded') });
    expect((await own.ids(['apply'])).stdout).toContain('48001');
    const next = ['order', 'code', 'padded'].map(async (name) => (await own.ids(['next', name])).stdout);
    expect(await Promise.all(next)).toEqual(['48002\n', '13\n', '48002\n']);
  });

  it('makes no sequence where encoded ids in its column may be above its start', async () => {
    const own = await openOwnSchema();
    await own.executor.execute('CREATE TABLE orders (id text)', []);
    await own.executor.execute("INSERT INTO orders VALUES ('5a17b9d9ab102555b9c38874')", []);
    const encode = { as: 'crockford', prefix: 'ord' };
    await own.configure({ first: { ...INPROC, column: 'orders.id', encode } });
    expect((await own.ids(['apply'])).code).toBe(0);
    const { stdout: first } = await own.ids(['next', 'first']);
    await own.executor.execute(`INSERT INTO orders VALUES ('${first.trim()}')`, []);
    await own.configure({ order: { ...INPROC, column: 'orders.id', encode } });
    for (const argv of [['apply'], ['apply', '--dry-run']]) {
      const { code, stdout, stderr } = await own.ids(argv);
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
      expect(stderr).toMatch(/^ids: generators\.order: column orders\.id .*"ord1".*startAfter/);
    }
    await createSequence(own.executor, 'order', { startAfter: 1 });
    expect(madeBy(await own.ids(['apply', '--json']))).toEqual([]);
  });

  it('makes no sequence where it may not look how far the ids of its column go', async () => {
    const own = await openOwnSchema();
    await ensureSchema(own.executor);
    await own.executor.execute('CREATE TABLE orders (id bigint)', []);
    await own.configure({ order: { ...INPROC, column: 'orders.id' } });
    const { role, url } = await own.roleWith(
      'GRANT USAGE ON SCHEMA $schema TO $role',
      'GRANT SELECT, INSERT ON id_segment TO $role',
    );
    const { code, stdout, stderr } = await own.ids(['apply'], { IDS_DATABASE_URL: url });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(/^ids: generators\.order: column orders\.id: /);
    expect(stderr).toContain(`GRANT SELECT ("id") ON "${own.schema}"."orders" TO "${role}"`);
  });

  it('puts the guards on a table that lacks them', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: INPROC });
    await own.ids(['apply']);
    await own.executor.execute('DROP TRIGGER id_segment_guard_truncate ON id_segment', []);
    expect(madeBy(await own.ids(['apply', '--json']))).toEqual(['guards of table id_segment']);
    await expect(own.executor.execute('TRUNCATE id_segment', [])).rejects.toThrow('rejected');
  });

  it('needs neither a Redis nor more rights than to look, where nothing is missing', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: { strategy: 'segment-redis-db' } });
    await own.ids(['apply']);
    const { url } = await own.roleWith(
      'GRANT USAGE ON SCHEMA $schema TO $role',
      'GRANT SELECT (server_name) ON id_segment TO $role',
    );
    expect(madeBy(await own.ids(['apply', '--json'], { IDS_DATABASE_URL: url }))).toEqual([]);
  });

  it('has nothing to make for generators without a database', async () => {
    const own = await openOwnSchema();
    await own.configure({ event: { strategy: 'objectid' } });
    expect(madeBy(await own.ids(['apply', '--json'], {}))).toEqual([]);
  });

  it('names role, right and statement where it may not', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: INPROC });
    const table = await own.roleWith('GRANT USAGE ON SCHEMA $schema TO $role');
    expect(await own.ids(['apply'], { IDS_DATABASE_URL: table.url })).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining(`GRANT CREATE ON SCHEMA "${own.schema}" TO "${table.role}"`),
    });
    await ensureSchema(own.executor);
    const select = 'GRANT SELECT ON id_segment TO $role';
    const row = await own.roleWith('GRANT USAGE ON SCHEMA $schema TO $role', select);
    const grant = `GRANT SELECT, INSERT ON "id_segment" TO "${row.role}"`;
    expect((await own.ids(['apply'], { IDS_DATABASE_URL: row.url })).stderr).toContain(`${grant};`);
    await own.executor.execute(grant, []);
    expect((await own.ids(['apply'], { IDS_DATABASE_URL: row.url })).code).toBe(0);
  });

  it('names the generators whose database does not answer', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: INPROC, bill: INPROC });
    const environment = { IDS_DATABASE_URL: 'postgres://ids:hunter2hunter2@127.0.0.1:1/none' };
    const { code, stdout, stderr } = await own.ids(['apply'], environment);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^ids: generators\.order, generators\.bill: .*ECONNREFUSED/);
  });

  it('names the variable that is missing', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: { strategy: 'segment-redis-db' } });
    const { code, stderr } = await own.ids(['apply'], {});
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('IDS_DATABASE_URL') });
  });
});

describe('ids apply --dry-run', () => {
  it('prints the SQL of what is missing, and changes nothing', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: { ...INPROC, log: true }, ticket: TICKETS });
    const { code, stdout } = await own.ids(['apply', '--dry-run']);
    expect(code).toBe(0);
    expect((await own.executor.execute(`SELECT to_regclass('id_segment') AS it`, [])).rows).toEqual([
      { it: null },
    ]);
    await migrate(own, stdout);
    expect(madeBy(await own.ids(['apply', '--json']))).toEqual([]);
    expect(JSON.parse((await own.ids(['apply', '--dry-run', '--json'])).stdout).missing).toEqual([]);
    const source = new SqlSegmentSource(own.executor);
    expect(await source.describe('tickets')).toMatchObject({ group: TICKETS.group });
    await own.configure({ order: INPROC, "o'brien\\": INPROC });
    const second = (await own.ids(['apply', '--dry-run'])).stdout;
    expect(second).not.toContain('CREATE');
    await migrate(own, second);
    expect((await own.ids(['next', "o'brien\\"])).stdout).toBe('1\n');
  });

  it('prints all that is needed where no database can be asked, and says so', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: { strategy: 'segment-redis-db' } });
    for (const environment of [{}, { IDS_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }]) {
      const { code, stdout, stderr } = await own.ids(['apply', '--dry-run'], environment);
      expect(code).toBe(0);
      expect(stderr).toMatch(/^ids: .*(?:IDS_DATABASE_URL|ECONNREFUSED).*$/m);
      expect(stdout).toMatch(/^CREATE TABLE "id_segment"/m);
      expect(stdout).toMatch(
        /^ +INSERT INTO "id_segment" \(server_name, timeline, reigns\)\s+VALUES \('order', history, /m,
      );
    }
  });
});

describe('ids floor', () => {
  it('shows where a sequence stands, raises it, and never lowers it', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: { strategy: 'segment-redis-db', name: 'orders' } });
    await own.ids(['apply']);
    const floor = (...argv: string[]) => own.ids(['floor', 'order', ...argv], { IDS_DATABASE_URL: own.url });
    expect(await floor()).toMatchObject({ code: 0, stderr: '' });
    expect(await floor('48001')).toMatchObject({ code: 0, stderr: expect.stringMatching(/./) });
    expect(await floor('48000')).toMatchObject({ code: 1, stdout: '' });
    expect(await floor('48001')).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse((await floor('50000', '--json')).stdout)).toEqual({
      generator: 'order',
      sequence: 'orders',
      before: 48001,
      maxId: 50000,
    });
    expect((await own.ids(['next', 'order'])).stdout).toBe('50001\n');
  });

  it('ends the refusals that follow a restore', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: { ...INPROC, afterRestore: 'refuse' } });
    await own.ids(['apply']);
    await own.ids(['next', 'order']);
    await own.executor.execute('ALTER TABLE id_segment DISABLE TRIGGER USER', []);
    await own.executor.execute('UPDATE id_segment SET max_id = max_id', []);
    await own.executor.execute('ALTER TABLE id_segment ENABLE TRIGGER USER', []);
    expect(await own.ids(['next', 'order'])).toMatchObject({ code: 1, stdout: '' });
    const { maxId: stands } = JSON.parse((await own.ids(['floor', 'order', '--json'])).stdout);
    expect((await own.ids(['floor', 'order', `${stands}`, '--checked'])).code).toBe(0);
    expect((await own.ids(['next', 'order'])).stdout).toBe(`${stands + 1}\n`);
  });

  it.each([
    [['floor', 'order', 'many'], 2],
    [['floor', 'order', '9007199254740992'], 2],
    [['floor', 'order', '-5'], 2],
    [['floor', 'ordr'], 3],
    [['floor', 'event'], 3],
  ] as const)('refuses %j', async (argv, code) => {
    const own = await openOwnSchema();
    await own.configure({ order: INPROC, event: { strategy: 'objectid' } });
    expect(await own.ids(argv)).toMatchObject({ code, stdout: '' });
  });
});
