import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openPostgresPool, type PostgresServer, startPostgres, withPostgres } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  createSequence,
  ensureSchema,
  fromPg,
  openSqlSource,
  SqlSegmentSource,
} from '../../src/sql/index.js';
import { origin } from '../origin.js';

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
  await withPool((pool) => ensureSchema(fromPg(pool)));
});

afterAll(() => server?.close());

function withPool<T>(run: (pool: pg.Pool) => Promise<T>): Promise<T> {
  return withPostgres(server.url, run);
}

async function openSource(): Promise<SqlSegmentSource> {
  const source = await openSqlSource({ database: server.url });
  onTestFinished(() => source.close());
  return source;
}

/** Names the standbys that a commit waits for; '' for none. */
async function setStandbys(names: string): Promise<void> {
  await withPool(async (pool) => {
    await pool.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await pool.query('SELECT pg_reload_conf()');
    const shown = `SELECT current_setting('synchronous_standby_names') AS names`;
    while ((await pool.query(shown)).rows[0].names !== names);
  });
}

describe('SqlSegmentSource on Postgres', () => {
  for (const log of [false, true]) {
    faultTest(`does not use a segment whose replication was given up on (with a log: ${log})`, async () => {
      const name = `replicated-${log}`;
      await withPool((pool) => createSequence(fromPg(pool), name));
      await withPool((pool) => ensureSchema(fromPg(pool), { log }));
      await injectFault(() => setStandbys('nobody'));
      onTestFinished(() => setStandbys(''));
      const source = await openSqlSource({ database: server.url, log });
      onTestFinished(() => source.close());
      const reserving = source.reserve(name, 10).catch((error: Error) => error);
      await injectFault(() =>
        withPool(async (pool) => {
          await pool.query(`SET synchronous_commit = 'local'`);
          const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
          while ((await pool.query(cancel)).rowCount === 0);
        }),
      );
      expect(await reserving).toMatchObject({
        code: 'ERR_IDS_UNAVAILABLE',
        message: expect.stringMatching(/\b1\.\.10\b/),
      });
      await injectFault(() => setStandbys(''));
      expect(await source.reserve(name, 10)).toEqual({ low: 11, high: 20, origin });
    });
  }

  it('is warned of while no standby is synchronous, and no longer once one is', async () => {
    await withPool((pool) => createSequence(fromPg(pool), 'warned'));
    const source = await openSource();
    const warning = expect.stringContaining('synchronous_standby_names');
    expect((await source.describe('warned')).warnings).toEqual([warning]);
    await setStandbys('somebody');
    onTestFinished(() => setStandbys(''));
    // A connection that is open reads its settings again a moment later than others.
    const later = await openSource();
    expect(await later.describe('warned')).not.toHaveProperty('warnings');
  });

  faultTest('is refused when it is a standby, which cannot reserve', async () => {
    await withPool((pool) => createSequence(fromPg(pool), 'standby'));
    const { rows } = await withPool((pool) => pool.query('SHOW data_directory'));
    const signalFile = join(rows[0].data_directory, 'standby.signal');
    await injectFault(async () => {
      await server.stop('fast');
      await writeFile(signalFile, '');
      await server.start();
    });
    onTestFinished(async () => {
      await server.stop('fast');
      await rm(signalFile, { force: true });
      await server.start();
    });
    const source = await openSource();
    await expect(source.describe('standby')).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('standby'),
    });
    await expect(source.reserve('standby', 1)).rejects.toMatchObject({
      code: 'ERR_IDS_UNAVAILABLE',
      retryable: true,
    });
  });
});

it('SqlSegmentSource refuses a Postgres that runs with fsync off, unless it is Neon', async () => {
  const unsafe = await startPostgres({ settings: { fsync: 'off' } });
  onTestFinished(() => unsafe.close());
  const pool = openPostgresPool(unsafe.url);
  onTestFinished(() => pool.end());
  await ensureSchema(fromPg(pool));
  await createSequence(fromPg(pool), 'order');
  const describeWith = async (standbys: string) => {
    await pool.query(`ALTER SYSTEM SET synchronous_standby_names = '${standbys}'`);
    await pool.query('SELECT pg_reload_conf()');
    const shown = `SELECT current_setting('synchronous_standby_names') AS names`;
    while ((await pool.query(shown)).rows[0].names !== standbys);
    return new SqlSegmentSource(fromPg(pool)).describe('order');
  };
  for (const standbys of ['', 'somebody', 'walproposer, somebody']) {
    await expect(describeWith(standbys)).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('fsync'),
    });
  }
  expect((await describeWith('walproposer')).warnings).toEqual([expect.stringMatching(/Neon.*setFloor/)]);
});
