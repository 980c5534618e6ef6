import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createMysqlDatabase,
  startMariadbReplication,
  startPostgres,
  startRedisReplication,
} from '@ids/local-services';
import { createSequence, ensureSchema } from '@ids/segment/sql';
import { fromPgUrl } from '@ids/store/postgres';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runIds } from '../support/run-ids.js';

async function ids(argv: string[], generator: object, environment: Record<string, string>) {
  const cwd = await mkdtemp(join(tmpdir(), 'ids-cli-'));
  onTestFinished(() => rm(cwd, { recursive: true }));
  await writeFile(join(cwd, 'ids.config.json'), JSON.stringify({ generators: { order: generator } }));
  return runIds(cwd, argv, { environment });
}

const doctor = (...given: [object, Record<string, string>]) => ids(['doctor'], ...given);

describe('ids doctor', () => {
  it('refuses a Redis that is a replica, and accepts its primary', async () => {
    await using redis = await startRedisReplication();
    const [replica] = redis.replicas;
    if (replica === undefined) throw new Error('there is no replica');
    const look = async (url: string) => {
      const database = 'postgres://nobody@127.0.0.1:1/none';
      const generator = { strategy: 'segment-redis-db' };
      const { code, stdout } = await doctor(generator, { IDS_REDIS_URL: url, IDS_DATABASE_URL: database });
      // No database answers, so something is wrong with both.
      expect(code).toBe(1);
      return stdout.split('\n').filter((line) => /^\w+\tredis\tRedis/.test(line));
    };
    expect(await look(replica.url)).toEqual([
      expect.stringMatching(
        /^wrong\tredis\tRedis [\d.]+, slave, eviction noeviction: a replica issues no IDs$/,
      ),
    ]);
    expect(await look(redis.primary.url)).toEqual([
      expect.stringMatching(/^ok\tredis\tRedis [\d.]+, master, eviction noeviction$/),
    ]);
  });

  it('refuses a Postgres that is a standby, and does not look at its tables', async () => {
    await using server = await startPostgres();
    const executor = await fromPgUrl(server.url, { max: 1 });
    await ensureSchema(executor);
    await createSequence(executor, 'order');
    const { rows } = await executor.execute('SHOW data_directory', []);
    await executor.close();
    const look = () => doctor({ strategy: 'segment-inproc' }, { IDS_DATABASE_URL: server.url });
    expect(await look()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^ok\tdatabase\tPostgres/m),
    });
    await server.stop('fast');
    await writeFile(join(String(rows[0]?.data_directory), 'standby.signal'), '');
    await server.start();
    const { code, stdout } = await look();
    expect(code).toBe(1);
    expect(stdout).toMatch(/^wrong\tdatabase\tPostgres .* as postgres, a standby: connect to the primary$/m);
    expect(stdout).not.toMatch(/\tsequence order\t/);
  });
});

describe('ids apply and ids floor', () => {
  it('refuse a replica of MariaDB that accepts writes', async () => {
    await using servers = await startMariadbReplication();
    const { pathname } = new URL(await createMysqlDatabase(servers.primary.url));
    const run = (server: { url: string }, ...argv: string[]) => {
      const generator = { strategy: 'segment-inproc', order: 'real-time', keyed: true };
      return ids(argv, generator, { IDS_DATABASE_URL: new URL(pathname, server.url).href });
    };
    const refused = {
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(/is a replica; connect to the primary/),
    };
    await servers.caughtUp();
    expect(await run(servers.replica, 'apply')).toMatchObject(refused);
    expect(await run(servers.primary, 'apply')).toMatchObject({ code: 0 });
    await servers.caughtUp();
    expect(await run(servers.replica, 'floor', 'order', '77', '--key', 'a')).toMatchObject(refused);
    expect((await run(servers.primary, 'floor', 'order', '--key', 'a')).stdout).toMatch(/is new/);
  });
});
