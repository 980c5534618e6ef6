import type {} from '@ids/local-services/vitest-mariadb';
import { expect, it, onTestFinished } from 'vitest';
import { openOrders, walk } from '../support/numbered-orders.js';

it('takes over bigserial under writers of both kinds, and goes back', () => walk('bigserial'));

it('names what is wrong and changes nothing', async () => {
  const { orders, run, ids, migrate } = await openOrders('bigserial');
  await run(`ALTER TABLE ${orders} ADD COLUMN small serial, ADD COLUMN plain bigint`);
  const wrong = async (name: string, from: string, table: string, ...more: string[]) => {
    const { code, stderr } = await ids('migrate', name, '--from', from, '--table', table, '--run', ...more);
    return [code, /^ids: ([\w.-]+)/.exec(stderr)?.[1]];
  };
  expect(await wrong('text', 'bigserial', orders)).toEqual([3, 'generators.text']);
  expect(await wrong('uuid', 'bigserial', orders)).toEqual([3, 'generators.uuid']);
  expect(await wrong('order', 'identity', orders)).toEqual([3, '--from']);
  expect(await wrong('order', 'auto-increment', orders)).toEqual([3, '--from']);
  expect(await wrong('order', 'bigserial', orders, '--column', 'plain')).toEqual([3, '--from']);
  expect(await wrong('order', 'bigserial', orders, '--column', 'small')).toEqual([3, '--column']);
  await run(`ALTER TABLE ${orders} ADD COLUMN shared bigint DEFAULT nextval('${orders}_id_seq')`);
  expect(await wrong('order', 'bigserial', orders, '--column', 'shared')).toEqual([3, '--column']);
  expect(await wrong('order', 'bigserial', `${orders}_none`)).toEqual([3, 'column']);
  expect(await wrong('order', 'serial', orders)).toEqual([2, 'option']);
  expect(await wrong('order', 'bigserial', orders, '--back')).toEqual([2, 'option']);
  await run(`ALTER TABLE ${orders} DROP COLUMN shared`);
  expect((await migrate()).done).toEqual([]);
});

it('refuses a generator of which a process may hold IDs that old processes reach', async () => {
  const { ids, migrate } = await openOrders('bigserial');
  await ids('apply');
  await ids('next', 'order');
  expect(await migrate('--run')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('generators.order: '),
  });
});

it.each([
  ['identity', ['bound', 'accept']],
  ['auto-increment', ['raise']],
] as const)('says what the owner runs where the role may not alter: %s', async (from, others) => {
  const { kind, url, table, orders, run, configure, ids, migrate } = await openOrders(from);
  await ids('apply');
  const account = await kind.createAccount(url);
  onTestFinished(() => account.close());
  for (const right of [`SELECT ON ${orders}`, `SELECT, INSERT, UPDATE ON ${table}`])
    await account.run(`GRANT ${right} TO ${account.name}`);
  await configure({
    order: { strategy: 'segment-inproc', column: `${orders}.id`, database: account.url },
  });
  if (kind.dialect === 'postgres') {
    const { stderr } = await migrate('--run');
    await run(/GRANT SELECT ON SEQUENCE .*/.exec(stderr)?.[0] ?? '');
  }
  for (const step of others) {
    const { code, stderr } = await migrate('--run');
    expect(code).toBe(3);
    const [, sql = ''] = /let .* run (ALTER .*); then/.exec(stderr) ?? [];
    await run(...sql.split('; '));
    expect((await migrate()).done).toContain(step);
  }
  expect(await migrate('--run')).toMatchObject({ code: 0, next: 'deploy' });
});
