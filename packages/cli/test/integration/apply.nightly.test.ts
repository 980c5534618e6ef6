import { createSequence, ensureSchema, SqlSegmentSource } from '@ids/segment/sql';
import { describe, expect, it } from 'vitest';
import { openOwnSchema } from '../support/own-schema.js';

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
    expect(await own.ids(['apply'])).toEqual({
      code: 0,
      stdout:
        'created table id_segment\ncreated grant log id_segment_log\ncreated sequence order in table id_segment\ncreated sequence tickets in table id_segment\n',
      stderr: '',
    });
    expect(await own.ids(['apply'])).toEqual({ code: 0, stdout: 'nothing to create\n', stderr: '' });
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
    expect((await own.ids(['apply'])).stdout).toBe('nothing to create\n');
    const again = await openOwnSchema();
    await again.configure({ event: { ...snowflake, as: 'number' }, bill: INPROC });
    expect((await again.ids(['apply'])).stdout.split('\n')).toEqual([
      'created table id_slot',
      'created slots event in table id_slot, layout 41+6+6',
      'created table id_segment',
      'created sequence bill in table id_segment',
      '',
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
    expect((await own.ids(['doctor'])).stdout).toMatch(/ok\s+generator order\s+snowflake opens/);
  });

  it('leaves the table of an application alone, and prints no SQL for it', async () => {
    const own = await openOwnSchema();
    await own.executor.execute('CREATE TABLE orders (id bigint PRIMARY KEY, total int)', []);
    await own.executor.execute('INSERT INTO orders VALUES (1, 10)', []);
    await own.configure({ order: { ...INPROC, table: 'orders' } });
    const refused = {
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(/generators\.order: .*not a segment table.*expected.*found id bigint/),
    };
    expect(await own.ids(['apply', '--dry-run'])).toMatchObject(refused);
    expect(await own.ids(['apply'])).toMatchObject(refused);
    expect((await own.ids(['doctor'])).stdout).toMatch(/wrong\s+table orders\s+.*not a segment table/);
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
    expect((await own.ids(['apply', '--procedure'])).stdout).toBe('nothing to create\n');
    const call = () => own.executor.execute(`CALL ids_reserve('order', 10)`, []);
    expect((await call()).rows).toEqual([{ low: '1', high: '10' }]);
    await own.configure({ order: INPROC, bill: { ...INPROC, name: 'order', afterRestore: 'refuse' } });
    expect((await own.ids(['apply'])).stdout).toBe('nothing to create\n');
    expect((await own.ids(['apply', '--procedure'])).stdout).toBe(
      'created procedure ids_reserve for table id_segment\n',
    );
    const again = await openOwnSchema();
    await again.configure({ order: INPROC });
    expect((await again.ids(['apply', '--procedure'])).stdout).toBe(
      'created table id_segment\ncreated sequence order in table id_segment\ncreated procedure ids_reserve for table id_segment\n',
    );
  });

  it('makes a second table', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: INPROC, bill: { ...INPROC, table: `${own.schema}.bills` } });
    expect((await own.ids(['apply'])).stdout.split('\n')).toEqual([
      'created table id_segment',
      'created sequence order in table id_segment',
      `created table ${own.schema}.bills`,
      `created sequence bill in table ${own.schema}.bills`,
      '',
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
    expect((await own.ids(['apply'])).stdout.split('\n').slice(1)).toEqual([
      `created sequence order in table id_segment, after 48001: the greatest id in ${own.schema}.orders.id`,
      `created sequence line in table id_segment, at 1: there are no ids in ${own.schema}.lines.id`,
      '',
    ]);
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
    expect((await own.ids(['apply'])).stdout.split('\n').slice(1)).toEqual([
      `created sequence paper in table id_segment, after 90: the greatest id in ${own.schema}.returns.id`,
      '',
    ]);
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
    expect((await own.ids(['apply'])).stdout.split('\n').slice(0, 1)).toEqual([
      `created sequence paper in table id_segment, after 90: the greatest id in ${own.schema}.returns.id`,
    ]);
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
    expect((await own.ids(['apply'])).stdout).toContain('order in table id_segment, after 48001');
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
      expect(stderr).toMatch(
        /^ids: generators\.order: column orders\.id holds "ord1", which may be an encoded ID of sequence "order".*startAfter/,
      );
    }
    await createSequence(own.executor, 'order', { startAfter: 1 });
    expect((await own.ids(['apply'])).stdout).toBe('nothing to create\n');
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
    expect(stderr).toMatch(/^ids: generators\.order: column orders\.id: role /);
    expect(stderr).toContain(`GRANT SELECT ("id") ON "${own.schema}"."orders" TO "${role}"`);
  });

  it('puts the guards on a table that lacks them', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: INPROC });
    await own.ids(['apply']);
    await own.executor.execute('DROP TRIGGER id_segment_guard_truncate ON id_segment', []);
    expect((await own.ids(['apply'])).stdout).toBe('created guards of table id_segment\n');
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
    expect(await own.ids(['apply'], { IDS_DATABASE_URL: url })).toMatchObject({
      code: 0,
      stdout: 'nothing to create\n',
    });
  });

  it('has nothing to make for generators without a database', async () => {
    const own = await openOwnSchema();
    await own.configure({ event: { strategy: 'objectid' } });
    expect(await own.ids(['apply'], {})).toEqual({ code: 0, stdout: 'nothing to create\n', stderr: '' });
  });

  it('names role, right and statement where it may not', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: INPROC });
    const table = await own.roleWith('GRANT USAGE ON SCHEMA $schema TO $role');
    expect(await own.ids(['apply'], { IDS_DATABASE_URL: table.url })).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining(
        `ids: generators.order: role "${table.role}" may not create table id_segment: permission denied for schema ${own.schema}. ` +
          `Grant the right with GRANT CREATE ON SCHEMA "${own.schema}" TO "${table.role}"; or let another role run the output of npx --no -- ids apply --dry-run`,
      ),
    });
    await ensureSchema(own.executor);
    const select = 'GRANT SELECT ON id_segment TO $role';
    const row = await own.roleWith('GRANT USAGE ON SCHEMA $schema TO $role', select);
    const grant = `GRANT SELECT, INSERT ON "id_segment" TO "${row.role}"`;
    expect((await own.ids(['apply'], { IDS_DATABASE_URL: row.url })).stderr).toContain(
      `role "${row.role}" may not create sequence order: permission denied for table id_segment. Grant the right with ${grant};`,
    );
    await own.executor.execute(grant, []);
    expect((await own.ids(['apply'], { IDS_DATABASE_URL: row.url })).code).toBe(0);
  });

  it('names the generators whose database does not answer', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: INPROC, bill: INPROC });
    const environment = { IDS_DATABASE_URL: 'postgres://ids:hunter2hunter2@127.0.0.1:1/none' };
    const { code, stdout, stderr } = await own.ids(['apply'], environment);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^ids: generators\.order, generators\.bill: segment table id_segment: .*ECONNREFUSED/,
    );
  });

  it('names the variable that is missing', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: { strategy: 'segment-redis-db' } });
    const { code, stderr } = await own.ids(['apply'], {});
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringMatching(/; set IDS_DATABASE_URL\n$/) });
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
    expect((await own.ids(['apply'])).stdout).toBe('nothing to create\n');
    expect((await own.ids(['apply', '--dry-run'])).stdout).toBe('-- nothing to create\n');
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
      expect(stderr).toMatch(
        /^ids: the database could not be queried: .*(?:IDS_DATABASE_URL|ECONNREFUSED).*$/m,
      );
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
    expect(await floor()).toEqual({ code: 0, stdout: 'sequence orders is reserved up to 0\n', stderr: '' });
    expect(await floor('48001')).toEqual({
      code: 0,
      stdout: 'sequence orders was raised from 0 to 48001\n',
      stderr: expect.stringContaining('restart the processes'),
    });
    expect(await floor('48000')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'ids: sequence "orders" of generators.order is reserved up to 48001 and can only be raised: the floor must be 48001 or more, got 48000\n',
    });
    expect(await floor('48001')).toEqual({
      code: 0,
      stdout: 'sequence orders is reserved up to 48001\n',
      stderr: '',
    });
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
    const [, stands = ''] = /is reserved up to (\d+)/.exec((await own.ids(['floor', 'order'])).stdout) ?? [];
    expect((await own.ids(['floor', 'order', stands, '--checked'])).code).toBe(0);
    expect((await own.ids(['next', 'order'])).stdout).toBe(`${Number(stands) + 1}\n`);
  });

  it.each([
    [
      ['floor', 'order', 'many'],
      2,
      "ids: command-argument value 'many' is invalid for argument 'floor'. It must be a whole number from 0 to",
    ],
    [
      ['floor', 'order', '9007199254740992'],
      2,
      "ids: command-argument value '9007199254740992' is invalid for argument 'floor'. It must be a whole number",
    ],
    [
      ['floor', 'order', '-5'],
      2,
      "ids: command-argument value '-5' is invalid for argument 'floor'. It must be",
    ],
    [['floor', 'ordr'], 3, 'ids: unknown generator "ordr" (did you mean "order"? known: order, event)'],
    [
      ['floor', 'event'],
      3,
      'ids: generators.event has no floor: objectid takes no IDs from a sequence in a database',
    ],
  ] as const)('refuses %j', async (argv, code, message) => {
    const own = await openOwnSchema();
    await own.configure({ order: INPROC, event: { strategy: 'objectid' } });
    const ran = await own.ids(argv);
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).toContain(message);
  });
});
