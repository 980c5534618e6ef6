import { segmentGrants } from '@ids/segment/sql';
import { slotGrants } from '@ids/snowflake/sql';
import { expect, it } from 'vitest';
import { openOwnSchema } from '../support/own-schema.js';

it.each([
  ['id_segment', { strategy: 'segment-inproc' }],
  ['id_slot', { strategy: 'snowflake', startup: 'at-once' }],
])('does not advise to create what row-level security hides in %s', async (table, generator) => {
  const own = await openOwnSchema();
  await own.configure({ order: generator });
  await own.ids(['apply']);
  const grant = `GRANT INSERT ON ${table} TO $role`;
  const { role, url } = await own.roleWith('GRANT USAGE ON SCHEMA $schema TO $role', grant);
  const grants = table === 'id_slot' ? slotGrants(role) : segmentGrants(role);
  for (const sql of grants.trimEnd().split('\n')) await own.executor.execute(sql, []);
  await own.executor.execute(`ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`, []);
  const environment = { IDS_DATABASE_URL: url };
  for (const argv of [['doctor'], ['apply'], ['next', 'order']]) {
    const { code, stdout, stderr } = await own.ids(argv, environment);
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain(`ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`);
    expect(stdout + stderr).not.toMatch(/create (?:it|them)|GRANT/);
  }
  await own.executor.execute(`ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`, []);
  expect((await own.ids(['doctor'], environment)).code).toBe(0);
});
