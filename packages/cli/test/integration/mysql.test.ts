import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMysqlDatabase, startMariadb } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-mariadb';
import { segmentGrants } from '@ids/segment/sql';
import type { SqlExecutor } from '@ids/store';
import { fromMysqlUrl } from '@ids/store/mysql';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { inTransaction } from '../../src/tables/transaction.js';
import { type Ran, runIds } from '../support/run-ids.js';

const INPROC = { strategy: 'segment-inproc' };

async function open(generators: object, server = inject('mysqlUrl')) {
  const url = await createMysqlDatabase(server);
  const executor = await fromMysqlUrl(url, { max: 1 });
  onTestFinished(() => executor.close());
  const folder = await mkdtemp(join(tmpdir(), 'ids-cli-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'ids.config.json'), JSON.stringify({ generators }));
  const ids = (argv: readonly string[], database = url): Promise<Ran> =>
    runIds(folder, argv, { environment: { IDS_DATABASE_URL: database } });
  return { url, executor, folder, ids };
}

async function migrate(executor: SqlExecutor, sql: string): Promise<void> {
  for (const statement of sql.split(/;\n/))
    if (statement.trim() !== '') await executor.execute(statement, []);
}

describe('ids on MariaDB', () => {
  it('makes what a config needs, and gives, shows and raises its ids', async () => {
    const { ids } = await open({ order: { ...INPROC, log: true, minStep: 10, maxStep: 10 } });
    expect((await ids(['apply'])).stdout).toBe(
      'created table id_segment\ncreated grant log id_segment_log\ncreated sequence order in table id_segment\n',
    );
    expect((await ids(['apply'])).stdout).toBe('nothing to create\n');
    expect((await ids(['next', 'order', '-n', '2'])).stdout).toBe('1\n2\n');
    expect((await ids(['inspect', '2'])).stdout).toMatch(/segment\t1\.\.10/);
    expect((await ids(['floor', 'order', '500'])).stdout).toMatch(/was raised from \d+ to 500/);
    expect((await ids(['next', 'order'])).stdout).toBe('501\n');
  });

  it('opens no transaction without the TLS of its URL', async () => {
    const url = `${inject('mysqlUrl')}?ssl-mode=REQUIRED`;
    const cipher = inTransaction(url, async (tx) => {
      const { query } = tx as { query(text: string): Promise<[[{ Value: string }]]> };
      return (await query.call(tx, "SHOW STATUS LIKE 'Ssl_cipher'"))[0][0].Value;
    });
    // A server without TLS rejects.
    expect(await cipher.catch(({ code }) => code)).not.toBe('');
  });

  it('prints SQL that another account can run', async () => {
    const { ids, executor } = await open({ order: INPROC });
    await migrate(executor, (await ids(['apply', '--dry-run'])).stdout);
    expect((await ids(['apply'])).stdout).toBe('nothing to create\n');
    // Without a connection, the URL says which SQL is wanted.
    const { stdout } = await ids(['apply', '--dry-run'], 'mysql://nobody:secret@127.0.0.1:1/none');
    expect(stdout).toContain('ENGINE = InnoDB');
  });

  it('writes the DDL of the database in its environment', async () => {
    const { folder, executor, ids } = await open({});
    await rm(join(folder, 'ids.config.json'));
    expect(await ids(['init', '--strategy', 'segment-inproc'])).toMatchObject({ code: 0 });
    await migrate(executor, await readFile(join(folder, 'ids.sql'), 'utf8'));
    expect((await ids(['next', 'order'])).stdout).toBe('1\n');
  });

  it('starts after the greatest id of a column', async () => {
    const { ids, executor } = await open({ order: { ...INPROC, column: 'orders.id' } });
    await executor.execute('CREATE TABLE orders (id bigint PRIMARY KEY)', []);
    await executor.execute('INSERT INTO orders VALUES (41), (7)', []);
    expect((await ids(['apply'])).stdout).toMatch(/after 41: the greatest id in \w+\.orders\.id/);
    expect((await ids(['next', 'order'])).stdout).toBe('42\n');
  });

  it('sees AUTO_INCREMENT under every sql_mode', async () => {
    await using server = await startMariadb({ settings: { sql_mode: 'ANSI_QUOTES,NO_TABLE_OPTIONS' } });
    const { ids, executor } = await open({ order: { ...INPROC, column: 'orders.id' } }, server.url);
    await executor.execute('CREATE TABLE orders (id bigint AUTO_INCREMENT PRIMARY KEY)', []);
    await executor.execute('INSERT INTO orders VALUES (7), (41)', []);
    await executor.execute('DELETE FROM orders', []);
    await ids(['apply']);
    expect((await ids(['floor', 'order', '--json'])).stdout).toContain('"maxId":41');
    const migrate = ['migrate', 'order', '--from', 'auto-increment', '--table', 'orders', '--run', '--json'];
    const { taken, next } = JSON.parse((await ids(migrate)).stdout);
    expect([taken, next]).toEqual([['create', 'raise'], 'deploy']);
  });

  it('starts after the greatest id of a column of any type of numbers', async () => {
    const types = ['mediumint', 'smallint', 'int unsigned', 'decimal(9, 2)', 'float', 'double'];
    const generators = types.map((_, i) => [`g${i}`, { ...INPROC, column: `t${i}.id` }] as const);
    const { ids, executor } = await open(Object.fromEntries(generators));
    for (const [i, type] of types.entries()) {
      await executor.execute(`CREATE TABLE t${i} (id ${type})`, []);
      await executor.execute(`INSERT INTO t${i} VALUES (7), (1234)`, []);
    }
    await executor.execute('INSERT INTO t5 VALUES (9007199254740989)', []);
    await ids(['apply']);
    const next = types.map(async (_, i) => (await ids(['next', `g${i}`])).stdout);
    expect(await Promise.all(next)).toEqual(
      types.map((type) => (type === 'double' ? '9007199254740990\n' : '1235\n')),
    );
    const shown = await ids(['swap', '--from', 'g3', '--to', 'g3', '--json']);
    expect(shown.stdout).toContain('it ends at 9999999, the ids at 9007199254740991');
  });

  it('starts after the ids that a column holds as text, and not before encoded ones', async () => {
    const encode = { as: 'crockford', prefix: 'ord' };
    const { ids, executor } = await open({
      order: { ...INPROC, as: 'string', column: 'orders.id' },
      code: { ...INPROC, column: 'orders.code', encode },
    });
    await executor.execute('CREATE TABLE orders (id varchar(30), code text)', []);
    const values = "('7', 'x'), ('48001', 'y'), ('550000000000000000000001', NULL), ('9007199254740992', '')";
    await executor.execute(`INSERT INTO orders VALUES ${values}`, []);
    expect(await ids(['apply'])).toMatchObject({
      stderr: '',
      stdout: expect.stringContaining('order in table id_segment, after 48001'),
    });
    expect((await ids(['next', 'order'])).stdout).toBe('48002\n');
    const { stdout: code } = await ids(['next', 'code']);
    await executor.execute(`INSERT INTO orders VALUES (NULL, '${code.trim()}')`, []);
    await executor.execute('DROP TABLE id_segment', []);
    expect((await ids(['apply'])).stderr).toContain(`column orders.code holds "${code.trim()}"`);
  });

  it('says in the doctor which rights an account lacks, and that all is well with them', async () => {
    const { url, ids, executor } = await open({ order: INPROC });
    await ids(['apply']);
    const name = `role_${new URL(url).pathname.slice(-12)}`;
    await executor.execute(`CREATE USER '${name}'@'%' IDENTIFIED BY 'secret'`, []);
    onTestFinished(async () => void (await executor.execute(`DROP USER '${name}'@'%'`, [])));
    await executor.execute(`GRANT SELECT (server_name, max_id) ON id_segment TO '${name}'@'%'`, []);
    const own = new URL(url);
    [own.username, own.password] = [name, 'secret'];
    const lacking = await ids(['doctor'], own.href);
    expect(lacking.code).not.toBe(0);
    expect(lacking.stdout).toMatch(/lacks SELECT \(realm.*GRANT SELECT/);
    await migrate(executor, segmentGrants(name, { dialect: 'mysql' }));
    const well = await ids(['doctor'], own.href);
    expect(well.stdout).toMatch(/MariaDB .* as role_/);
    expect(well.stdout).toMatch(/reserved up to 0/);
    expect(well.stdout).toMatch(/generator order.*opens/);
    expect(well).toMatchObject({ code: 0 });
  });
});
