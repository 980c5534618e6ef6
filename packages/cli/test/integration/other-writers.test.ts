import { numberGrants } from '@ids/gapless';
import { createMysqlAccount, startMariadb } from '@ids/local-services';
import { fromPgUrl, segmentGrants, segmentSchema } from '@ids/segment/sql';
import { slotGrants } from '@ids/snowflake/sql';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { openOwnDatabase } from '../support/own-database.js';
import { openOwnSchema } from '../support/own-schema.js';

/** A role `anon` that gets all rights on all tables that are created from now on, as PUBLIC does. */
async function openGenerous() {
  const own = await openOwnSchema();
  const { role: anon, url } = await own.roleWith('GRANT USAGE ON SCHEMA $schema TO $role');
  const run = async (sql: string) => (await own.executor.execute(sql, [])).rows;
  await run(`ALTER DEFAULT PRIVILEGES IN SCHEMA "${own.schema}" GRANT ALL ON TABLES TO "${anon}", PUBLIC`);
  const stranger = await fromPgUrl(url, { max: 1 });
  onTestFinished(() => stranger.close());
  return { ...own, run, anon, stranger };
}

/** The tables of a schema on which somebody has a right, besides its owner. */
const SHARED = `SELECT c.relname::text AS name FROM pg_class c, aclexplode(c.relacl) x
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND x.grantee <> c.relowner
  GROUP BY 1 ORDER BY 1`;

const TABLES = {
  order: { strategy: 'segment-inproc', log: true },
  message: { strategy: 'segment-inproc', order: 'real-time', keyed: true, log: true },
  worker: { strategy: 'snowflake', log: true },
};
const SERIES = { invoice: {} };

/** The statements in a check that can be run as they are. */
const advised = (detail: string): string[] => detail.match(/(?:REVOKE|GRANT) [^;<]+;/g) ?? [];

it('takes from the tables that it creates what default privileges gave, and from no others', async () => {
  const { run, configure, ids, anon, stranger } = await openGenerous();
  await run('CREATE TABLE theirs (a int)');
  await configure(TABLES, SERIES);
  expect((await ids(['apply'])).code).toBe(0);
  await run(segmentSchema('by_migration', { log: true }));
  expect(await run(SHARED)).toEqual([{ name: 'theirs' }]);
  const last = 'UPDATE id_segment SET max_id = 9007199254740991';
  await expect(stranger.execute(last, [])).rejects.toMatchObject({ code: '42501' });

  await run(`GRANT UPDATE ON id_segment TO "${anon}"`);
  expect((await ids(['apply'])).code).toBe(0);
  await run(segmentSchema());
  expect(await run(SHARED)).toEqual([{ name: 'id_segment' }, { name: 'theirs' }]);
});

it('names who else may write, and the statement that ends it', async () => {
  const { run, configure, ids, anon, roleWith, url } = await openGenerous();
  const { role: service } = await roleWith('GRANT USAGE ON SCHEMA $schema TO $role');
  await configure(TABLES, SERIES);
  await ids(['apply']);
  await run(segmentGrants(service, { log: true }));
  const found = async () => {
    const { stdout } = await ids(['doctor', '--json'], {
      IDS_DATABASE_URL: url,
      IDS_REDIS_URL: inject('redisUrl'),
    });
    const { checks } = JSON.parse(stdout) as { checks: { what: string; status: string; detail: string }[] };
    return checks.filter(({ detail }) => detail.includes('REVOKE'));
  };
  expect(await found()).toEqual([]);

  await run(`GRANT ALL ON id_segment, id_slot, id_segment_key, id_number, id_number_series TO "${anon}"`);
  await run(`GRANT UPDATE (granted_at), DELETE ON id_segment_log, id_segment_key_log TO PUBLIC`);
  const named = await found();
  // Both generators of the segment table report it.
  expect([...new Set(named.map(({ what, status }) => `${status} ${what}`))].sort()).toEqual([
    'warning table id_number',
    'warning table id_number_series',
    'warning table id_segment',
    'warning table id_segment_key',
    'warning table id_segment_key_log',
    'warning table id_segment_log',
    'warning table id_slot',
  ]);
  for (const { what, detail } of named) {
    expect(/FROM (.*?);/.exec(detail)?.[1]).toBe(what.endsWith('_log') ? 'PUBLIC' : anon);
  }
  for (const { detail } of named) await run(/REVOKE [^;]+/.exec(detail)?.[0] as string);
  expect(await found()).toEqual([]);
});

it('leaves a service what it needs, in place of what it had', async () => {
  const { run, configure, ids, roleWith } = await openGenerous();
  const { role, url } = await roleWith('GRANT USAGE ON SCHEMA $schema TO $role');
  await configure({ order: TABLES.order });
  await ids(['apply']);
  await run(`GRANT ALL ON id_segment, id_segment_log TO "${role}"`);
  const { checks } = JSON.parse((await ids(['doctor', '--json'])).stdout) as { checks: { detail: string }[] };
  for (const { detail } of checks) for (const sql of advised(detail)) await run(sql);
  expect(await ids(['next', 'order'], { IDS_DATABASE_URL: url })).toMatchObject({ code: 0, stderr: '' });
});

describe('on MariaDB', () => {
  async function openShared(server?: string) {
    const { run, configure, ids, url } = await openOwnDatabase('mysql', server);
    await configure(TABLES, SERIES);
    expect((await ids(['apply'])).code).toBe(0);
    const accountOf = async () => {
      const { name, url: its, close } = await createMysqlAccount(url);
      onTestFinished(close);
      return { name, account: `'${name}'@'%'`, url: its };
    };
    const checks = async (its = url) => {
      const { stdout } = await ids(['doctor', '--json'], { IDS_DATABASE_URL: its });
      const found = JSON.parse(stdout) as { checks: { what: string; status: string; detail: string }[] };
      return found.checks.filter(({ what }) => what.startsWith('table '));
    };
    const named = async () =>
      Object.fromEntries(
        (await checks())
          .filter(({ status }) => status === 'warning')
          .map(({ what, detail }) => [`${what} ${detail.split(' may ')[0]}`, detail]),
      );
    return { run, url, accountOf, checks, named };
  }

  it('names who else may write a table, and the statement that ends it', async () => {
    const { run, accountOf, checks, named } = await openShared();
    const [service, other] = [await accountOf(), await accountOf()];
    const { name, account } = service;
    const dialect = { dialect: 'mysql' } as const;
    await run(segmentGrants(name, dialect) + slotGrants(name, dialect) + numberGrants(name, dialect));
    const lacking = (await checks(service.url)).find(({ detail }) => detail.includes('lacks'));
    await run(/needs: (GRANT .*)/.exec(lacking?.detail ?? '')?.[1] as string);
    expect((await checks(service.url)).map(({ status }) => status)).not.toContain('wrong');
    expect(await named()).toEqual({});

    await run(`CREATE ROLE ${other.name}_role; GRANT UPDATE (max_id, realm) ON id_segment TO ${account};
      GRANT ALL ON id_segment_log TO ${other.account}; GRANT DELETE ON id_segment_key TO ${other.name}_role;
      GRANT DROP ON id_segment_key_log TO PUBLIC; GRANT TRIGGER ON id_slot TO ${other.account};
      GRANT UPDATE (last_number) ON id_number TO ${other.account}; GRANT UPDATE ON id_number TO ${account};
      GRANT ALTER ON id_number_series TO ${other.account}`);
    onTestFinished(async () => void (await run(`DROP ROLE ${other.name}_role`)));
    const found = await named();
    expect(Object.keys(found).sort()).toEqual(
      [
        `table id_number ${account}`,
        `table id_number_series ${other.account}`,
        `table id_segment ${account}`,
        `table id_segment_key_log PUBLIC`,
        `table id_segment_log ${other.account}`,
        `table id_slot ${other.account}`,
      ].sort(),
    );
    for (const detail of Object.values(found)) for (const sql of advised(detail)) await run(sql);
    expect(await named()).toEqual({});
    expect((await checks(service.url)).map(({ status }) => status)).not.toContain('wrong');
  });

  it('names who may write the whole database or server, and leaves them their rights', async () => {
    // Rights on a whole server show in all its databases, so also in those of other tests.
    const server = await startMariadb();
    onTestFinished(() => server.close());
    const { run, url, accountOf, named } = await openShared(server.url);
    const [ofAll, ofServer, root] = [await accountOf(), await accountOf(), await accountOf()];
    const database = new URL(url).pathname.slice(1);
    await run(`GRANT ALL ON \`${database.replaceAll('_', '\\_').slice(0, -2)}%\`.* TO ${ofAll.account};
      GRANT DELETE ON *.* TO ${ofServer.account}; GRANT DELETE, CREATE USER ON *.* TO ${root.account}`);
    const rights = () => run('SELECT * FROM information_schema.SCHEMA_PRIVILEGES ORDER BY 1, 2, 3, 4');
    const before = await rights();
    const found = await named();
    for (const table of ['id_segment', 'id_segment_log', 'id_segment_key', 'id_slot_log', 'id_number']) {
      expect(found[`table ${table} ${ofAll.account}`]).not.toContain('REVOKE');
    }
    expect(found[`table id_segment ${ofServer.account}`]).toContain('may write *.*');
    // A service may be allowed to delete keys.
    expect(found).not.toHaveProperty([`table id_segment_key ${ofServer.account}`]);
    expect(JSON.stringify(found)).not.toContain(root.name);
    expect(await rights()).toEqual(before);
  });

  it('does not say that nobody else may write where the account cannot see it', async () => {
    const { run, accountOf, checks } = await openShared();
    const [service, other] = [await accountOf(), await accountOf()];
    const database = (await run('SELECT DATABASE() AS name'))[0]?.name;
    await run(
      `GRANT ALL ON ${database}.* TO ${service.account}; GRANT UPDATE ON id_segment TO ${other.account}`,
    );
    const hides = (all: { detail: string }[]) => all.filter(({ detail }) => detail.includes('cannot see'));
    const seen = await checks(service.url);
    expect(hides(seen)).toHaveLength(seen.length);
    expect(hides(await checks())).toEqual([]);
  });
});
