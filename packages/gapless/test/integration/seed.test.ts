import { ALL_DIALECTS } from '@ids/local-services/dialects';
import { describe, expect, it } from 'vitest';
import {
  createSeriesWithin,
  describeSeries,
  findGaps,
  findKeys,
  findUnseeded,
  nextWithin,
  raiseWithin,
  seedWithin,
  seriesSql,
} from '../../src/index.js';
import { inTransaction, openNumberDatabase } from './number-database.js';

/** As `createNumberFormat` of `@ids/encode` returns it for `INV-{yyyy}-{00000}`. */
const INVOICE = { pattern: /^INV-([0-9]{4})-([0-9]{5})$/, groups: { year: 1, number: 2 } };

describe.each(ALL_DIALECTS)('a series on $server that goes on from what exists', (kind) => {
  it('follows the highest number of each key, in one statement, and lowers none', async () => {
    const { table, invoices, session, connect } = await openNumberDatabase(kind);
    const caller = await connect();
    await session.query(
      `INSERT INTO ${invoices} VALUES (7, 'acme'), (9, 'acme'), (3, 'globex'), (1, 'Grüße'), (2, 'low')`,
    );
    const next = (key = '') => inTransaction(caller, () => nextWithin(caller.tx, 'invoice', key, { table }));
    for (let i = 0; i < 5; i++) await next('low');
    const from = { table: invoices, column: 'number', keyColumn: 'customer' };
    const seed = () => inTransaction(caller, () => seedWithin(caller.tx, 'invoice', from, { table }));
    expect(await seed()).toEqual({ keys: 4, highest: 9 });
    expect(await seed()).toEqual({ keys: 4, highest: 9 });
    expect([
      await next('acme'),
      await next('globex'),
      await next('Grüße'),
      await next('low'),
      await next(),
    ]).toEqual([10, 4, 2, 6, 1]);
  });

  it('reads numbers from strings, each year for itself, and refuses those of another format', async () => {
    const { table, invoices, session, connect } = await openNumberDatabase(kind);
    const caller = await connect();
    const texts = `${invoices}_text`;
    await session.query(`CREATE TABLE ${texts} (number varchar(40), customer bigint)`);
    await session.query(
      `INSERT INTO ${texts} VALUES ('INV-2025-00123', 5), ('INV-2026-00002', 5), ('INV-2026-00010', 6), (NULL, 5)`,
    );
    const next = (key: string) =>
      inTransaction(caller, () => nextWithin(caller.tx, 'invoice', key, { table }));
    const from = { table: texts, column: 'number', keyColumn: 'customer', format: INVOICE };
    const seed = (documents: Parameters<typeof seedWithin>[2]) =>
      inTransaction(caller, () => seedWithin(caller.tx, 'invoice', documents, { table }));
    expect(await seed({ ...from, perYear: true })).toEqual({ keys: 3, highest: 123 });
    expect([await next('5/2025'), await next('5/2026'), await next('6/2026')]).toEqual([124, 3, 11]);
    expect(await seed(from)).toEqual({ keys: 2, highest: 123 });
    expect(await next('5')).toBe(124);
    await session.query(`INSERT INTO ${texts} VALUES ('inv-2026-00099', 5)`);
    await expect(seed(from)).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(/1 values do not match .* such as "inv-2026-00099"/),
    });
    expect(await next('5')).toBe(125);
  });

  it('names an empty key of a year as keyOf does', async () => {
    const { table, invoices, session, connect } = await openNumberDatabase(kind);
    const caller = await connect();
    const texts = `${invoices}_text`;
    await session.query(`CREATE TABLE ${texts} (number varchar(40), customer varchar(40))`);
    await session.query(`INSERT INTO ${texts} VALUES ('INV-2026-00041', ''), ('INV-2026-00007', 'acme')`);
    const from = { table: texts, column: 'number', keyColumn: 'customer', format: INVOICE, perYear: true };
    await inTransaction(caller, () => seedWithin(caller.tx, 'invoice', from, { table }));
    const next = (key: string) =>
      inTransaction(caller, () => nextWithin(caller.tx, 'invoice', key, { table }));
    expect([await next('2026'), await next('acme/2026')]).toEqual([42, 8]);
  });

  it('refuses a column of strings without a format, in which 9 is above 12', async () => {
    const { table, invoices, executor, session, connect } = await openNumberDatabase(kind);
    const caller = await connect();
    await session.query(`INSERT INTO ${invoices} VALUES (1, '9'), (1, '12')`);
    const from = { table: invoices, column: 'customer' };
    for (const read of [
      () => inTransaction(caller, () => seedWithin(caller.tx, 'invoice', from, { table })),
      () => findUnseeded(executor, 'invoice', from, { table }),
      () => findGaps(executor, from),
    ])
      await expect(read()).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
  });

  it.runIf(kind.dialect === 'mysql')('finds the empty key where an empty string is null', async () => {
    const { table, invoices, session, connect } = await openNumberDatabase(kind);
    const caller = await connect();
    await session.query(`INSERT INTO ${invoices} VALUES (7, 'acme')`);
    await caller.run("SET SESSION sql_mode = 'EMPTY_STRING_IS_NULL'");
    const seed = () => seedWithin(caller.tx, 'invoice', { table: invoices, column: 'number' }, { table });
    expect(await inTransaction(caller, seed)).toEqual({ keys: 1, highest: 7 });
  });

  it.skipIf(kind.dialect === 'sqlite')('keeps writers out until its transaction ends', async () => {
    const { table, invoices, session, connect } = await openNumberDatabase(kind);
    const [caller, writer] = [await connect(), await connect()];
    await session.query(`INSERT INTO ${invoices} VALUES (7, 'acme')`);
    await caller.run('BEGIN');
    await seedWithin(caller.tx, 'invoice', { table: invoices, column: 'number' }, { table });
    let written = false;
    const write = writer
      .run(`INSERT INTO ${invoices} VALUES (8, 'acme') /* UPDATE ${invoices} */`)
      .finally(() => {
        written = true;
      });
    await expect.poll(() => session.waiting(invoices)).toBe(1);
    expect(written).toBe(false);
    expect((await session.query(`SELECT count(*) AS n FROM ${invoices}`))[0]?.n).toSatisfy(
      (n) => Number(n) === 1,
    );
    await caller.run('COMMIT');
    await write;
  });

  it.skipIf(kind.dialect === 'sqlite')(
    'waits for nobody who takes numbers of keys that need not be raised',
    async () => {
      const { table, invoices, session, connect } = await openNumberDatabase(kind);
      const [caller, service] = [await connect(), await connect()];
      const next = () => nextWithin(service.tx, 'invoice', 'acme', { table });
      const from = { table: invoices, column: 'number', keyColumn: 'customer' };
      await inTransaction(service, next);
      await session.query(`INSERT INTO ${invoices} VALUES (7, 'globex')`);
      await service.run('BEGIN');
      expect(await next()).toBe(2);
      // On MySQL and MariaDB, it waits before it has locked anything that the service needs.
      const tx = { dialect: kind.dialect, run: (sql: string) => caller.run(`/* UPDATE ${table} */ ${sql}`) };
      const seeding = inTransaction(caller, () => seedWithin(tx, 'invoice', from, { table }));
      if (kind.dialect === 'postgres') expect(await seeding).toEqual({ keys: 1, highest: 7 });
      else await expect.poll(() => session.waiting(table)).toBe(1);
      await service.run(`INSERT INTO ${invoices} VALUES (2, 'acme')`);
      await service.run('COMMIT');
      await seeding;
    },
  );

  it('is created and seeded in one transaction, or by the SQL for a migration', async () => {
    const { table, invoices, executor, session, connect } = await openNumberDatabase(kind);
    const [caller, other] = [await connect(), await connect()];
    await session.query(`INSERT INTO ${invoices} VALUES (7, 'acme'), (3, 'globex')`);
    const from = { table: invoices, column: 'number', keyColumn: 'customer' };
    expect(await findUnseeded(executor, 'receipt', from, { table })).toEqual({ keys: 2, highest: 7 });
    expect(await describeSeries(executor, 'receipt', { table })).toBeUndefined();
    await caller.run('BEGIN');
    expect(await createSeriesWithin(caller.tx, 'receipt', { table })).toBe(true);
    expect(await createSeriesWithin(caller.tx, 'receipt', { table })).toBe(false);
    const early = inTransaction(other, () => nextWithin(other.tx, 'receipt', 'acme', { table })).catch(
      ({ code }: { code: string }) => code,
    );
    // A server that checks foreign keys at once waits, and then issues what follows.
    if (kind.dialect === 'postgres') expect(await early).toBe('ERR_IDS_CONFIG');
    await seedWithin(caller.tx, 'receipt', from, { table });
    await caller.run('COMMIT');
    if (kind.dialect === 'mysql') expect(await early).toBe(8);
    expect(await describeSeries(executor, 'receipt', { table })).toMatchObject({ keys: 2 });
    expect(await findUnseeded(executor, 'receipt', from, { table })).toEqual({ keys: 0, highest: 0 });
    const sql = seriesSql('voucher', { table, dialect: kind.dialect, startAfter: from });
    for (let twice = 0; twice < 2; twice++)
      for (const statement of sql.split(';\n').filter(Boolean)) await caller.run(statement);
    expect(await inTransaction(caller, () => nextWithin(caller.tx, 'voucher', 'globex', { table }))).toBe(4);
  });

  it.skipIf(kind.dialect === 'sqlite')(
    'refuses an isolation in which it would not see what others write',
    async () => {
      const { table, invoices, connect } = await openNumberDatabase(kind);
      const caller = await connect();
      const wrong = kind.dialect === 'postgres' ? 'REPEATABLE READ' : 'READ COMMITTED';
      if (kind.dialect === 'postgres') await caller.run(`BEGIN ISOLATION LEVEL ${wrong}`);
      else
        for (const sql of [`SET SESSION TRANSACTION ISOLATION LEVEL ${wrong}`, 'BEGIN'])
          await caller.run(sql);
      const from = { table: invoices, column: 'number' };
      await expect(seedWithin(caller.tx, 'invoice', from, { table })).rejects.toMatchObject({
        code: 'ERR_IDS_CONFIG',
        message: expect.stringMatching(/the transaction is (repeatable read|READ-COMMITTED)/),
      });
      await caller.run('ROLLBACK');
    },
  );

  it('can be raised by hand, one key at a time', async () => {
    const { table, connect } = await openNumberDatabase(kind);
    const caller = await connect();
    const raise = (last: number) =>
      inTransaction(caller, () => raiseWithin(caller.tx, 'invoice', 'acme', last, { table }));
    expect([await raise(1_040), await raise(7)]).toEqual([1_040, 1_040]);
    expect(await inTransaction(caller, () => nextWithin(caller.tx, 'invoice', 'acme', { table }))).toBe(
      1_041,
    );
    for (const last of [-1, 0]) await expect(raise(last)).rejects.toThrow(RangeError);
  });

  it('finds a key, and others that begin like it', async () => {
    const { table, executor, connect } = await openNumberDatabase(kind);
    const caller = await connect();
    for (const key of ['acme/2025', 'acme/2026', 'globex', ''])
      await inTransaction(caller, () => raiseWithin(caller.tx, 'invoice', key, 7, { table }));
    const found = (key: string) => findKeys(executor, 'invoice', key, { table });
    expect(await found('acme')).toEqual(['acme/2025', 'acme/2026']);
    expect(await found('acme/2026')).toEqual(['acme/2026', 'acme/2025']);
    expect(await found('')).toEqual(['', 'acme/2025', 'acme/2026', 'globex']);
  });

  it('refuses what is no column, no series or outside a transaction', async () => {
    const { table, invoices, connect } = await openNumberDatabase(kind);
    const caller = await connect();
    const from = { table: invoices, column: 'number' };
    const refused = (seed: Promise<unknown>) =>
      seed.then(String, (error) => `${error.code} ${error.message}`);
    const seed = (name: string, documents: object) =>
      inTransaction(caller, () => seedWithin(caller.tx, name, { ...from, ...documents }, { table }));
    expect(await refused(seed('invoice', { column: 'number; DROP' }))).toMatch(
      /^ERR_IDS_CONFIG option "column"/,
    );
    expect(await refused(seed('invoice', { table: 'a b' }))).toMatch(/^ERR_IDS_CONFIG option "table"/);
    expect(await refused(seed('invoice', { perYear: true }))).toMatch(/^ERR_IDS_CONFIG option "perYear"/);
    expect(await refused(seed('invoice', { column: 'nothing' }))).toMatch(/^ERR_IDS_CONFIG .*nothing/);
    await caller.run(`INSERT INTO ${invoices} VALUES (7, 'acme')`);
    expect(await refused(seed('invoices', {}))).toMatch(/^ERR_IDS_CONFIG .*no series "invoices"/);
    expect(await refused(seedWithin(caller.tx, 'invoice', from, { table }))).toMatch(
      /^ERR_IDS_CONFIG .*no transaction is open/,
    );
  });
});
