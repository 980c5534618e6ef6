import { SQL_DIALECTS } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { openDatabase } from '@ids/store/open';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  acceptSeries,
  createSeries,
  createSeriesWithin,
  ensureNumberSchema,
  type NumberOptions,
  nextWithin,
} from '../../src/index.js';
import { inTransaction, MARIADB, openCaller, openNumberDatabase, POSTGRES } from './number-database.js';

const REFUSES = { afterFailover: 'refuse', afterRestore: 'refuse' } as const;

describe.each(SQL_DIALECTS)('a database on $server that went back', (kind) => {
  faultTest('goes on after the last document that it has, or refuses until it is accepted', async () => {
    const replication = await kind.startReplication();
    onTestFinished(() => replication.close());
    const { table, invoices, connect } = await openNumberDatabase(kind, { url: replication.primary.url });
    const primary = await connect();
    const issue = (caller: typeof primary, options?: NumberOptions) =>
      inTransaction(caller, async () => {
        const number = await nextWithin(caller.tx, 'invoice', 'acme', { table, ...options });
        await caller.run(`INSERT INTO ${invoices} VALUES (${number}, 'acme')`);
        return number;
      });
    expect([await issue(primary), await issue(primary, REFUSES)]).toEqual([1, 2]);
    await replication.caughtUp();
    await injectFault(() => replication.cutOff());
    // Lost, together with its document.
    expect(await issue(primary)).toBe(3);
    await injectFault(() => replication.promote());
    const successor = await openCaller(replication.replica.url);
    const refused = await issue(successor, REFUSES).catch((error) => error);
    expect(`${refused.code} ${refused.message}`).toMatch(
      /^ERR_IDS_REGRESSED .*key "acme": its server was promoted.*acceptSeries/,
    );
    expect(await issue(successor)).toBe(3);
    const executor = await openDatabase(replication.replica.url);
    onTestFinished(() => executor.close());
    await acceptSeries(executor, 'invoice', { table });
    expect(await issue(successor, REFUSES)).toBe(4);
    const rows = await successor.run(`SELECT number FROM ${invoices} ORDER BY number`);
    expect(rows.map(({ number }) => Number(number))).toEqual([1, 2, 3, 4]);
  });

  faultTest('refuses after a restore of the numbers, if it is to', async () => {
    const { url, executor, session, table, connect } = await openNumberDatabase(kind);
    const caller = await connect();
    const issue = (options?: NumberOptions) =>
      inTransaction(caller, () => nextWithin(caller.tx, 'invoice', '', { table, ...options }));
    expect(await issue(REFUSES)).toBe(1);
    const dump = await kind.dumpTable(url, table);
    expect(await issue(REFUSES)).toBe(2);
    await injectFault(async () => {
      // As `pg_restore --clean` does, and that of MariaDB in any case.
      if (kind.dialect === 'postgres') {
        await session.query(`DROP TABLE ${table}`);
        await ensureNumberSchema(executor, { table });
      }
      await dump.restoreTo(url);
    });
    await expect(issue(REFUSES)).rejects.toMatchObject({ code: 'ERR_IDS_REGRESSED' });
    expect(await issue()).toBe(2);
    await acceptSeries(executor, 'invoice', { table });
    expect(await issue(REFUSES)).toBe(3);
  });
});

faultTest('a former primary with a synchronous standby commits no number beside its successor', async () => {
  const replication = await POSTGRES.startReplication();
  onTestFinished(() => replication.close());
  const { table, invoices, connect, session } = await openNumberDatabase(POSTGRES, {
    url: replication.primary.url,
  });
  const primary = await connect();
  const issue = (caller: typeof primary) =>
    inTransaction(caller, async () => {
      const number = await nextWithin(caller.tx, 'invoice', 'acme', { table });
      await caller.run(`INSERT INTO ${invoices} VALUES (${number}, 'acme')`);
      return number;
    });
  await session.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
  await session.query('SELECT pg_reload_conf()');
  expect(await issue(primary)).toBe(1);
  await replication.caughtUp();
  await injectFault(() => replication.cutOff());
  let outcome = 'pending';
  const former = issue(primary).then(
    (number) => {
      outcome = `number ${number}`;
    },
    () => {
      outcome = 'failed';
    },
  );
  const waits = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
  await expect.poll(async () => (await session.query(waits))[0]?.n).toBe(1);
  await injectFault(() => replication.promote());
  const successor = await openCaller(replication.replica.url);
  // Without the promotion, it is read-only.
  for (const number of [2, 3]) expect(await issue(successor).catch(String)).toBe(number);
  expect(outcome).toBe('pending');
  await primary.drop();
  await former;
  expect(outcome).toBe('failed');
});

it('a replica of MariaDB that accepts writes gets no series', async () => {
  const replication = await MARIADB.startReplication();
  onTestFinished(() => replication.close());
  const { table } = await openNumberDatabase(MARIADB, { url: replication.primary.url });
  await replication.caughtUp();
  const [executor, caller] = [
    await openDatabase(replication.replica.url),
    await openCaller(replication.replica.url),
  ];
  onTestFinished(() => executor.close());
  for (const write of [
    () => createSeries(executor, 'other', { table }),
    () => inTransaction(caller, () => createSeriesWithin(caller.tx, 'other', { table })),
    () => acceptSeries(executor, 'invoice', { table }),
    () => ensureNumberSchema(executor, { table: `${table}_other` }),
  ])
    await expect(write()).rejects.toThrow(/_series cannot be used: the server is a replica/);
});
