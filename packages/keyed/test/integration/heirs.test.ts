import { SQL_CLIENTS } from '@ids/local-services/dialects';
import { createSequence } from '@ids/segment/sql';
import { describe, expect, it } from 'vitest';
import { describeKey, type SqlKeyedSourceOptions } from '../../src/sql/index.js';
import { type KeyDatabase, openExecutor, openKeyDatabase, openSource } from './key-database.js';

const MARIADB = SQL_CLIENTS.filter(({ dialect }) => dialect === 'mysql').slice(0, 1);
const POSTGRES = SQL_CLIENTS.filter(({ dialect }) => dialect === 'postgres').slice(0, 1);
const BASE = 10_000;
/** As many ids of the busy key lie between two lanes: what it used in two minutes of its busiest one. */
const DISTANCE = 24_000;

/** As if the rows had been written on a server that this one has followed, or before they were restored. */
const STATEMENTS = {
  postgres: {
    failover: (table: string) => `ALTER TABLE ${table} DISABLE TRIGGER USER;
      UPDATE ${table} SET timeline = '00000000', last_xact = pg_current_xact_id()::text::bigint;
      ALTER TABLE ${table} ENABLE TRIGGER USER`,
    restore: (table: string) => `UPDATE ${table} SET last_xact = 1`,
  },
  mysql: {
    failover: (table: string) => `UPDATE ${table} SET reign_server = '999'`,
    restore: (table: string) => `UPDATE ${table} SET reign_table = 1`,
  },
};

type Dialect = keyof typeof STATEMENTS;

/** The database on a server that is on this lane. */
function urlOn(url: string, dialect: Dialect, lane: number): string {
  return dialect === 'mysql' ? url : `${url}?options=${encodeURIComponent(`-c ids.lane=${lane}`)}`;
}

/** What is reserved next of a busy key and of a quiet one, on a server that has inherited their rows. */
async function inherit(
  { url, table }: KeyDatabase,
  family: string,
  { lane = 0, dialect }: { readonly lane?: number; readonly dialect: Dialect },
  options: SqlKeyedSourceOptions = {},
): Promise<number[]> {
  const heir = await openSource(urlOn(url, dialect, lane), { table, ...options });
  const requests = ['busy', 'quiet'].map((key) => ({ key, size: 1 }));
  const { keys } = await heir.reserve(family, requests, { wait: true });
  return keys.map((one) => ('high' in one ? one.high : Number.NaN));
}

async function use({ source }: KeyDatabase, family: string): Promise<void> {
  const keyed = await source();
  const requests = [
    { key: 'busy', size: 11_000 },
    { key: 'quiet', size: 1 },
  ];
  await keyed.reserve(family, requests, { wait: true });
  await keyed.reserve(family, [{ key: 'busy', size: 1_000 }], { wait: true });
}

describe.each(POSTGRES)('two heirs of the same rows on $server', (kind) => {
  it('skip to other ids of a key, as far apart as it was used fast', async () => {
    const database = await openKeyDatabase(kind);
    const { executor, session, table, keys } = database;
    await createSequence(executor, 'twin', { table });
    for (const family of ['message', 'twin']) await use(database, family);
    for (const name of [table, keys]) await session.query(STATEMENTS.postgres.failover(name));
    const [[busy = 0, quiet = 0], [twin = 0, quietTwin = 0]] = [
      await inherit(database, 'message', { dialect: 'postgres', lane: 3 }),
      await inherit(database, 'twin', { dialect: 'postgres', lane: 5 }),
    ];
    // Both a little more, by the age of the family.
    expect(busy - (12_000 + BASE + 3 * DISTANCE)).toBeGreaterThan(0);
    expect(busy - (12_000 + BASE + 4 * DISTANCE)).toBeLessThan(0);
    expect(twin - busy).toBeGreaterThan(1.5 * DISTANCE);
    expect(quiet).toBeGreaterThanOrEqual(2 + BASE + 300);
    expect(quietTwin).toBeGreaterThan(quiet + 100);
  });
});

describe.each([...POSTGRES, ...MARIADB])('a key on $server', (kind) => {
  const { dialect } = kind;

  it('is skipped ahead in by its lane, as describeKey says', async () => {
    const database = await openKeyDatabase(kind);
    const { url, session, table, keys } = database;
    await use(database, 'message');
    for (const name of [table, keys]) await session.query(STATEMENTS[dialect].failover(name));
    // The lane of a MariaDB server is its id, which is 1.
    const lane = 1;
    const heir = await openExecutor(urlOn(url, dialect, lane));
    const { nextAbove = 0, ...stands } = await describeKey(heir, 'message', 'busy', { table });
    expect(stands).toMatchObject({ maxId: 12_000, pending: 'failover' });
    expect(nextAbove).toBeGreaterThanOrEqual(12_000 + BASE + DISTANCE);
    const [high = 0] = await inherit(database, 'message', { dialect, lane });
    // Seconds may have passed.
    expect(high).toBeGreaterThan(nextAbove);
    expect(high).toBeLessThan(nextAbove + DISTANCE);
  });

  it('is skipped ahead in by its rate after a restore', async () => {
    const database = await openKeyDatabase(kind);
    const { session, table, keys } = database;
    await use(database, 'message');
    const hour =
      dialect === 'postgres'
        ? `minute_began = minute_began - interval '3600 s'`
        : 'minute_began = minute_began - 3600';
    await session.query(`UPDATE ${table} SET ${hour}`);
    for (const name of [table, keys]) await session.query(STATEMENTS[dialect].restore(name));
    const [busy = 0, quiet = 0] = await inherit(database, 'message', { dialect });
    // Four times the 200 ids a second of its busiest minute; one a second of the other.
    expect(busy).toBeGreaterThan(12_000 + BASE + 3_600 * 800);
    expect(quiet).toBeGreaterThan(1 + BASE + 3_600);
    expect(quiet).toBeLessThan(1 + BASE + 2 * 3_600);
  });

  it('is skipped ahead in by as many as a number says, on any lane', async () => {
    const database = await openKeyDatabase(kind);
    const { session, table, keys } = database;
    await use(database, 'message');
    for (const name of [table, keys]) await session.query(STATEMENTS[dialect].failover(name));
    const skips = { afterFailover: 500, afterRestore: 300 };
    const heir = await inherit(database, 'message', { dialect, lane: 7 }, skips);
    expect(heir).toEqual([12_501, 502]);
  });
});
