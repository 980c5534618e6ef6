import { startPgBouncer } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { openDatabase } from '@ids/store/open';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import {
  ensureNumberSchema,
  findGaps,
  findUnseeded,
  nextWithin,
  seedWithin,
  seriesSql,
} from '../../src/index.js';
import { type Caller, inTransaction, openCaller, openNumberDatabase, POSTGRES } from './number-database.js';

it('an aborted transaction is refused, and says so', async () => {
  const { table, connect } = await openNumberDatabase(POSTGRES);
  const caller = await connect();
  await caller.run('BEGIN');
  await expect(caller.run('SELECT 1 / 0')).rejects.toThrow('division');
  await expect(nextWithin(caller.tx, 'invoice', '', { table })).rejects.toMatchObject({
    code: 'ERR_IDS_UNAVAILABLE',
    message: expect.stringContaining('aborted; roll it back'),
  });
  await caller.run('ROLLBACK');
  expect(await inTransaction(caller, () => nextWithin(caller.tx, 'invoice', '', { table }))).toBe(1);
});

it('a number leaves the settings of the transaction as they were', async () => {
  const { table, connect } = await openNumberDatabase(POSTGRES);
  const caller = await connect();
  const limit = async () => (await caller.run('SHOW lock_timeout'))[0]?.lock_timeout;
  await caller.run("SET lock_timeout = '7s'");
  await caller.run('BEGIN');
  await caller.run("SET LOCAL lock_timeout = '3s'");
  // The first number of a key is taken by the statement that waits.
  await nextWithin(caller.tx, 'invoice', 'new', { table });
  expect(await limit()).toBe('3s');
  await nextWithin(caller.tx, 'invoice', 'new', { table });
  expect(await limit()).toBe('3s');
  await caller.run('COMMIT');
  expect(await limit()).toBe('7s');
});

describe.each(['several statements as one message', 'a statement at a time'])('%s', (how) => {
  const txOf = ({ tx, run }: Caller) => (how === 'a statement at a time' ? { dialect: 'postgres', run } : tx);

  it('waits for a key that is held, and leaves the settings of the transaction as they were', async () => {
    const { table, connect, session } = await openNumberDatabase(POSTGRES);
    const [holder, caller] = [await connect(), await connect()];
    const tx = txOf(caller);
    const next = (options: object = {}) => nextWithin(tx, 'invoice', 'acme', { table, ...options });
    const limit = async () => (await caller.run('SHOW lock_timeout'))[0]?.lock_timeout;
    await inTransaction(caller, () => next());
    // The first time, it does not know that the key is held, and the second time it does.
    for (const taken of [2, 4]) {
      await holder.run('BEGIN');
      expect(await nextWithin(holder.tx, 'invoice', 'acme', { table })).toBe(taken);
      await caller.run('BEGIN');
      await caller.run("SET LOCAL lock_timeout = '3s'");
      await expect(next({ deadlineMs: 100 })).rejects.toMatchObject({
        code: 'ERR_IDS_TIMEOUT',
        message: expect.stringMatching(/"invoice", key "acme": .*held by process \d+/),
      });
      expect(await limit()).toBe('3s');
      const waiting = next();
      await expect.poll(() => session.waiting(table)).toBe(1);
      await holder.run('COMMIT');
      expect(await waiting).toBe(taken + 1);
      expect(await limit()).toBe('3s');
      await caller.run('COMMIT');
    }
  });

  it('takes a key for new that was held before its table was created again', async () => {
    const { table, connect, executor } = await openNumberDatabase(POSTGRES);
    const [holder, caller] = [await connect(), await connect()];
    const tx = txOf(caller);
    const next = (deadlineMs?: number) => nextWithin(tx, 'invoice', 'acme', { table, deadlineMs });
    await inTransaction(caller, () => next());
    for (let held = 0; held < 2; held++) {
      await holder.run('BEGIN');
      await nextWithin(holder.tx, 'invoice', 'acme', { table });
      await expect(inTransaction(caller, () => next(50))).rejects.toMatchObject({ code: 'ERR_IDS_TIMEOUT' });
      await holder.run('COMMIT');
      expect(await inTransaction(caller, () => next())).toBe(3 + 2 * held);
    }
    await executor.execute(`DROP TABLE ${table}`, []);
    await ensureNumberSchema(executor, { table });
    await caller.run('BEGIN');
    await caller.run("SET LOCAL lock_timeout = '3s'");
    expect([await next(), await next()]).toEqual([1, 2]);
    expect(await caller.run('SHOW lock_timeout')).toEqual([{ lock_timeout: '3s' }]);
    await caller.run('COMMIT');
    await expect(next()).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('no transaction is open'),
    });
    expect(await inTransaction(caller, () => next())).toBe(3);
  });
});

it('later numbers of a transaction are one statement, and those of the next one prove it again', async () => {
  const { table, connect } = await openNumberDatabase(POSTGRES);
  const caller = await connect();
  const texts: string[] = [];
  const tx = {
    dialect: 'postgres',
    run(text: string) {
      texts.push(text);
      return caller.run(text);
    },
  };
  const next = () => nextWithin(tx, 'invoice', 'acme', { table });
  const statements: number[] = [];
  await inTransaction(caller, () => next());
  for (let transaction = 0; transaction < 2; transaction++) {
    await inTransaction(caller, async () => {
      for (let i = 0; i < 3; i++) {
        texts.length = 0;
        expect(await next()).toBe(2 + 3 * transaction + i);
        statements.push(texts.length);
      }
    });
  }
  // This object serves both transactions, so the first attempt of the second one finds no proof.
  expect(statements).toEqual([3, 1, 1, 3, 1, 1]);
});

it('a collision under SERIALIZABLE is what the driver threw, and the transaction can be run again', async () => {
  const { table, invoices, connect, session } = await openNumberDatabase(POSTGRES);
  const callers = await Promise.all([connect(), connect(), connect()]);
  let collisions = 0;
  await Promise.all(
    callers.map(async (caller, who) => {
      for (let i = 0; i < 20; ) {
        await caller.run('BEGIN ISOLATION LEVEL SERIALIZABLE');
        try {
          const number = await nextWithin(caller.tx, 'invoice', '', { table });
          await caller.run(`INSERT INTO ${invoices} VALUES (${number}, 'c${who}')`);
          await caller.run('COMMIT');
          i++;
        } catch (error) {
          expect(error).toMatchObject({ code: '40001' });
          collisions++;
          await caller.run('ROLLBACK');
        }
      }
    }),
  );
  expect(collisions).toBeGreaterThan(0);
  const rows = await session.query(`SELECT number FROM ${invoices} ORDER BY number`);
  expect(rows.map(({ number }) => Number(number))).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
});

it('works through PgBouncer in transaction mode, and is refused there outside a transaction', async () => {
  const { table } = await openNumberDatabase(POSTGRES);
  const pooler = await startPgBouncer({ database: inject('databaseUrl'), mode: 'transaction', poolSize: 2 });
  onTestFinished(() => pooler.close());
  // More than the pooler has connections, so that it moves them around.
  const callers = await Promise.all(Array.from({ length: 4 }, () => openCaller(pooler.url)));
  const taken = await Promise.all(
    callers.map(async (caller) => {
      const numbers = [];
      for (let i = 0; i < 10; i++) {
        await expect(nextWithin(caller.tx, 'invoice', '', { table })).rejects.toMatchObject({
          code: 'ERR_IDS_CONFIG',
          message: expect.stringContaining('no transaction is open'),
        });
        numbers.push(await inTransaction(caller, () => nextWithin(caller.tx, 'invoice', '', { table })));
      }
      return numbers;
    }),
  );
  expect(taken.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
});

it('a seed gives up on a table in use, and the SQL of a migration, too', async () => {
  const { table, invoices, connect } = await openNumberDatabase(POSTGRES);
  const [writer, caller] = [await connect(), await connect()];
  await writer.run('BEGIN');
  await writer.run(`INSERT INTO ${invoices} VALUES (1, 'acme')`);
  const from = { table: invoices, column: 'number' };
  const seed = () => inTransaction(caller, () => seedWithin(caller.tx, 'invoice', from, { table }));
  await expect(seed()).rejects.toMatchObject({ code: 'ERR_IDS_TIMEOUT' });
  const sql = seriesSql('receipt', { table, dialect: 'postgres', startAfter: from });
  await expect(caller.run(sql)).rejects.toMatchObject({ code: '55P03' });
  await caller.run('ROLLBACK');
  await writer.run('COMMIT');
  expect(await seed()).toEqual({ keys: 1, highest: 1 });
});

it('numbers that row-level security may hide are not taken for missing or free ones', async () => {
  const { url, table, invoices, session } = await openNumberDatabase(POSTGRES);
  const role = await POSTGRES.createAccount(url);
  onTestFinished(() => role.close());
  for (const granted of [invoices, table, `${table}_series`])
    await session.query(`GRANT ALL ON ${granted} TO ${role.name}`);
  await session.query(`INSERT INTO ${invoices} VALUES (41, 'acme')`);
  const caller = await openCaller(role.url);
  const from = { table: invoices, column: 'number', keyColumn: 'customer' };
  const executor = await openDatabase(role.url);
  onTestFinished(() => executor.close());
  const reads = [
    () => findGaps(executor, from),
    () => findUnseeded(executor, 'invoice', from, { table }),
    () => inTransaction(caller, () => seedWithin(caller.tx, 'invoice', from, { table })),
  ];
  await session.query(`ALTER TABLE ${invoices} ENABLE ROW LEVEL SECURITY`);
  for (const read of reads) await expect(read()).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
  await session.query(`ALTER TABLE ${invoices} DISABLE ROW LEVEL SECURITY`);
  for (const read of reads) expect(await read()).toBeDefined();
});
