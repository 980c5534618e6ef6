import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openIds } from '@ids/config';
import { nextWithin } from '@ids/gapless';
import { uniqueName } from '@ids/local-services';
import { ALL_DIALECTS, connectToFile, type FileDialect, type SqlDialect } from '@ids/local-services/dialects';
import mysql from 'mysql2/promise';
import { describe, expect, it, onTestFinished } from 'vitest';
import { inTransaction } from '../../src/tables/transaction.js';
import { openOwnSchema } from '../support/own-schema.js';
import { type Ran, runIds } from '../support/run-ids.js';

/** A series `invoice` with documents that exist, in tables of its own, and the config of a service. */
async function openSeries({ shared, connect }: SqlDialect | FileDialect) {
  const url = await shared();
  const session = connect(url);
  onTestFinished(() => session.end());
  const numbers = uniqueName('number');
  const documents = `${numbers}_doc`;
  await session.query(`CREATE TABLE ${documents} (code varchar(40) NOT NULL, customer varchar(40) NOT NULL)`);
  await session.query(
    `INSERT INTO ${documents} VALUES ('INV-2026-00041', 'acme'), ('INV-2026-00007', 'globex')`,
  );
  const folder = await mkdtemp(join(tmpdir(), 'ids-cli-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const startAfter = {
    table: documents,
    column: 'code',
    keyColumn: 'customer',
    format: 'INV-{yyyy}-{00000}',
    perYear: true,
  };
  const receipt = { table: numbers, afterRestore: 'refuse' };
  const series = { invoice: { table: numbers, startAfter }, receipt };
  await writeFile(join(folder, 'ids.config.json'), JSON.stringify({ generators: {}, series }));
  const ids = (...argv: readonly string[]): Promise<Ran> =>
    runIds(folder, argv, { environment: { IDS_DATABASE_URL: url } });
  /** As a service does it: the config says what to take. */
  async function next(key: string, insert?: string): Promise<number> {
    await using opened = await openIds({ strategies: [], cwd: folder, environment: {} });
    return await inTransaction(url, async (tx) => {
      const number = await nextWithin(tx, opened.series('invoice'), key);
      if (insert !== undefined) await run(tx, insert);
      return number;
    });
  }
  return { url, session, numbers, documents, ids, next };
}

/** Runs one statement in a transaction of any driver. */
async function run(tx: object, sql: string): Promise<void> {
  const { query, exec } = tx as Record<string, (sql: string) => unknown>;
  await (query ?? exec)?.call(tx, sql);
}

describe.each(ALL_DIALECTS)('the series of a config on $server', (kind) => {
  it('are created after the numbers that exist, checked, audited, and raised when others were faster', async () => {
    const { session, numbers, documents, ids, next } = await openSeries(kind);
    expect(await ids('doctor')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`wrong\ttable ${numbers}\tis missing, and series.invoice needs it`),
    });
    expect(await ids('apply')).toEqual({
      code: 0,
      stdout:
        `created table ${numbers}\n` +
        `created series invoice in table ${numbers}, after the numbers of ${documents}.code: 2 keys, the highest 41\n` +
        `created series receipt in table ${numbers}\n`,
      stderr: '',
    });
    expect((await ids('apply')).stdout).toBe('nothing to create\n');
    const insert = `INSERT INTO ${documents} VALUES ('INV-2026-00042', 'acme')`;
    expect(await next('acme/2026', insert)).toBe(42);
    expect((await ids('apply')).stdout).toBe('nothing to create\n');
    expect((await ids('doctor')).stdout).toContain('ok\tseries invoice\t2 keys, the highest number is 42');
    expect(await ids('gaps', 'invoice')).toMatchObject({
      code: 1,
      stdout: 'missing\t1 to 40\tacme/2026\nmissing\t1 to 6\tglobex/2026\n',
    });
    // A process of the last version, which counts in its own way, was still running.
    await session.query(`INSERT INTO ${documents} VALUES ('INV-2026-00043', 'acme')`);
    expect(await ids('doctor')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(
        `wrong\tseries invoice\t1 key is below the numbers of ${documents}.code, up to 43`,
      ),
    });
    expect((await ids('apply')).stdout).toBe(
      `raised series invoice in table ${numbers}, after the numbers of ${documents}.code: 1 key, the highest 43\n`,
    );
    expect([await next('acme/2026'), await next('globex/2026'), await next('new/2026')]).toEqual([44, 8, 1]);
  });

  it('are created by the SQL of a dry run, which changes nothing itself', async () => {
    const { url, session, ids, next } = await openSeries(kind);
    const { stdout } = await ids('apply', '--dry-run');
    expect((await ids('apply', '--dry-run')).stdout).toBe(stdout);
    expect(stdout.match(/CREATE TABLE/g)).toHaveLength(3);
    if (kind.dialect === 'sqlite') connectToFile(url).exec(stdout);
    else if (kind.dialect === 'postgres') await session.query(stdout);
    else {
      const connection = await mysql.createConnection(url);
      for (const statement of stdout.split(/;\n/).filter((one) => one.trim() !== ''))
        await connection.query(statement);
      await connection.end();
    }
    expect((await ids('apply')).stdout).toBe('nothing to create\n');
    expect(await next('acme/2026')).toBe(42);
  });

  it('are refused after a restore, if they are to be, until somebody has looked and accepts them', async () => {
    const { url, session, numbers, ids } = await openSeries(kind);
    await ids('apply');
    const elsewhere = {
      postgres: 'system_id = 1',
      mysql: 'reign_table = 0',
      sqlite: "reign_server = 'else'",
    };
    await session.query(`UPDATE ${numbers}_series SET ${elsewhere[kind.dialect]}`);
    const next = () =>
      inTransaction(url, (tx) => nextWithin(tx, 'receipt', '', { table: numbers, afterRestore: 'refuse' }));
    await expect(next()).rejects.toMatchObject({ code: 'ERR_IDS_REGRESSED' });
    const { code, stdout } = await ids('doctor');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^wrong\tseries receipt\t.* ids floor receipt --checked$/m);
    expect(stdout).toMatch(/^ok\tseries invoice\t/m);
    expect(await ids('floor', 'receipt', '40', '--checked')).toMatchObject({ code: 2 });
    expect((await ids('floor', 'receipt', '40')).code).toBe(0);
    const accepted = ['restore', null];
    for (const change of accepted) {
      const answer = await ids('--json', 'floor', 'receipt', '--checked');
      expect(JSON.parse(answer.stdout)).toEqual({ series: 'receipt', accepted: change });
    }
    expect((await ids('doctor')).code).toBe(0);
    expect(await next()).toBe(41);
  });

  // On SQLite, services and others wait for each other.
  it.skipIf(kind.dialect === 'sqlite')(
    'do not wait for services that take numbers, and not for ever for those that write in their own way',
    async () => {
      const { url, session, documents, ids, next } = await openSeries(kind);
      await ids('apply');
      await inTransaction(url, async (tx) => {
        await run(tx, `INSERT INTO ${documents} VALUES ('INV-2026-00042', 'acme')`);
        expect((await ids('apply')).stdout).toBe('nothing to create\n');
        await session.query(`INSERT INTO ${documents} VALUES ('INV-2026-00009', 'globex')`);
        expect(await ids('apply')).toMatchObject({
          code: 1,
          stderr: expect.stringMatching(
            /series\.invoice: for 3 s, a transaction has been open that has written to .* Nothing of the series was changed/,
          ),
        });
      });
      expect((await ids('apply')).stdout).toContain('2 keys, the highest 42');
      expect([await next('acme/2026'), await next('globex/2026')]).toEqual([43, 10]);
    },
  );

  it.runIf(kind.dialect === 'sqlite')('say that others have locked the file for too long', async () => {
    const { url, ids } = await openSeries(kind);
    await ids('apply');
    expect(await inTransaction(url, () => ids('floor', 'receipt', '40'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('others have had the file locked for 3 s'),
    });
  });

  it('say what of the documents is wrong, and create nothing then', async () => {
    const { session, documents, numbers, ids } = await openSeries(kind);
    await session.query(`INSERT INTO ${documents} VALUES ('R-1', 'acme')`);
    expect(await ids('apply')).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(/ids: series\.invoice: .*1 values do not match .* such as "R-1"/),
    });
    await session.query(`DROP TABLE ${documents}`);
    expect(await ids('apply')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`series.invoice: numbers of ${documents}.code: `),
    });
    expect((await ids('doctor')).stdout).toContain(`wrong\ttable ${numbers}\tis missing`);
  });
});

it('ids floor shows a series, and raises one key of it', async () => {
  const own = await openOwnSchema();
  await own.configure({}, { invoice: {} });
  await own.ids(['apply']);
  const floor = (...argv: string[]) => own.ids(['floor', 'invoice', ...argv]);
  expect((await floor('3')).stdout).toBe('series invoice goes on after 3\n');
  expect((await floor('40', '--key', 'acme')).code).toBe(1);
  const forced = await floor('40', '--key', 'acme', '--force');
  expect(forced.stdout).toBe('key "acme" of series invoice goes on after 40\n');
  expect((await floor('7', '--key', 'acme')).stdout).toBe('key "acme" of series invoice goes on after 40\n');
  expect((await floor('3')).code).toBe(2);
  expect((await floor()).stdout).toBe('series invoice has 2 keys, the highest number is 40\n');
  expect(JSON.parse((await own.ids(['--json', 'floor', 'invoice'])).stdout)).toEqual({
    series: 'invoice',
    keys: 2,
    highest: 40,
  });
  expect((await floor('--force')).code).toBe(2);
  expect(await own.ids(['floor', 'invoce', '5'])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('did you mean "invoice"?'),
  });
});

it('ids doctor says which rights a service lacks, and how to grant them', async () => {
  const own = await openOwnSchema();
  await own.configure({}, { invoice: {} });
  await own.ids(['apply']);
  const { role, url } = await own.roleWith('GRANT USAGE ON SCHEMA $schema TO $role');
  const environment = { IDS_DATABASE_URL: url };
  const { code, stdout } = await own.ids(['doctor'], environment);
  expect(code).toBe(1);
  const grants = /needs: (GRANT .*;)/.exec(stdout)?.[1] ?? '';
  expect(stdout).toContain(`role "${role}" lacks SELECT (series)`);
  for (const grant of grants.split('; ')) await own.executor.execute(grant, []);
  expect((await own.ids(['doctor'], environment)).stdout).toContain('ok\tseries invoice\t0 keys');
});

it('ids gaps asks for the table of a series that the config does not have', async () => {
  const own = await openOwnSchema();
  await own.configure({}, { invoice: {} });
  for (const series of ['invoice', 'receipt']) {
    expect(await own.ids(['gaps', series])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--table is required, unless a series is named'),
    });
  }
});

it('a table of sequences is refused for a series, and the other way round', async () => {
  const own = await openOwnSchema();
  const order = { strategy: 'segment-inproc' };
  await own.configure({ order: { ...order, table: 'sequences' } }, { invoice: { table: 'numbers' } });
  expect((await own.ids(['apply'])).code).toBe(0);
  await own.configure({}, { invoice: { table: 'sequences' } });
  expect(await own.ids(['apply'])).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^ids: series\.invoice: .*sequences/),
  });
  for (const table of ['numbers', 'numbers_series']) {
    await own.configure({ order: { ...order, table } });
    expect(await own.ids(['apply'])).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/^ids: generators\.order: .*numbers/),
    });
  }
});
