import { expect, inject, it, onTestFinished } from 'vitest';
import { createPostgresRole, uniqueName, withPostgres } from '../../src/index.js';
import type {} from '../../src/vitest-setup.js';

it('a role has the rights that it was granted and no others, until it is closed', async () => {
  const url = inject('databaseUrl');
  const table = uniqueName('granted');
  const role = await createPostgresRole(url);
  const read = () =>
    withPostgres(role.url, async (pool) => (await pool.query(`SELECT FROM ${table}`)).rowCount);
  await role.run(`CREATE TABLE ${table} ()`);
  onTestFinished(() => withPostgres(url, async (pool) => void (await pool.query(`DROP TABLE ${table}`))));
  await expect(read()).rejects.toThrow('permission denied');
  await role.run(`GRANT SELECT ON ${table} TO ${role.name}`);
  expect(await read()).toBe(0);
  await role.close();
  await expect(read()).rejects.toThrow();
});

it('a role whose name is taken is an error', async () => {
  const url = inject('databaseUrl');
  const role = await createPostgresRole(url, { attributes: 'SUPERUSER' });
  await expect(createPostgresRole(url, { name: role.name })).rejects.toThrow('already exists');
  await role.close();
});
