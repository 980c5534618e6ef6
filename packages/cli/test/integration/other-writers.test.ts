import { fromPgUrl, segmentGrants, segmentSchema } from '@ids/segment/sql';
import { expect, inject, it, onTestFinished } from 'vitest';
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

  await run(`GRANT ALL ON id_segment, id_slot TO "${anon}"`);
  await run(`GRANT UPDATE (granted_at), DELETE ON id_segment_log TO PUBLIC`);
  const named = await found();
  // Both generators of the segment table report it.
  expect([...new Set(named.map(({ what, status }) => `${status} ${what}`))].sort()).toEqual([
    'warning table id_segment',
    'warning table id_segment_log',
    'warning table id_slot',
  ]);
  for (const { what, detail } of named) {
    expect(/FROM (.*?);/.exec(detail)?.[1]).toBe(what.endsWith('_log') ? 'PUBLIC' : anon);
  }
  for (const { detail } of named) await run(/REVOKE [^;]+/.exec(detail)?.[0] as string);
  expect(await found()).toEqual([]);
});
