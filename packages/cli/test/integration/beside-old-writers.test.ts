import { SQL_DIALECTS } from '@ids/local-services/dialects';
import type {} from '@ids/local-services/vitest-mariadb';
import { describe, expect, it } from 'vitest';
import { openOwnTable } from '../support/own-table.js';

/** A table whose own counter goes on from 1, and the statements that let it go on above 10^12. */
const COUNTED: Readonly<
  Record<'postgres' | 'mysql', (table: string) => readonly [create: string, raise: string]>
> = {
  postgres: (table) => [
    `CREATE TABLE ${table} (id bigserial PRIMARY KEY, item int)`,
    `ALTER SEQUENCE ${table}_id_seq RESTART WITH 1000000000001`,
  ],
  mysql: (table) => [
    `CREATE TABLE ${table} (id bigint AUTO_INCREMENT PRIMARY KEY, item int)`,
    `ALTER TABLE ${table} AUTO_INCREMENT = 1000000000001`,
  ],
};

describe.each(SQL_DIALECTS)('a column that $name numbers', (kind) => {
  async function openOrders() {
    const own = await openOwnTable(kind);
    const orders = `${own.table}_orders`;
    const [create, raise] = COUNTED[kind.dialect](orders);
    await own.run(create);
    await own.configure({ order: { strategy: 'segment-inproc', column: `${orders}.id` } });
    expect((await own.ids('apply')).code).toBe(0);
    const insert = () => own.run(`INSERT INTO ${orders} (item) VALUES (1)`);
    /** Exit code of `doctor`, the status of its rows about the counter, and exit code of `apply`. */
    const state = async () => {
      const doctor = await own.ids('doctor', '--json');
      const { checks } = JSON.parse(doctor.stdout) as { checks: { status: string; detail: string }[] };
      const about = checks.filter(({ detail }) => detail.includes(`${orders}.id`) && /numbers/.test(detail));
      return [doctor.code, about.map(({ status }) => status), (await own.ids('apply')).code];
    };
    return { ...own, orders, raise, insert, state };
  }

  it('may go on above the sequence, as in a migration', async () => {
    const { run, raise, insert, state, ids } = await openOrders();
    await run(raise);
    await insert();
    expect(await state()).toEqual([0, ['warning'], 0]);
    // Who raises it above those rows takes the numbers that are about to be given.
    expect((await ids('floor', 'order')).stderr).toMatch(
      /^ids: .* as during a migration: do not raise it.*\n$/,
    );
    expect((await ids('next', 'order')).stdout).toBe('1\n');
  });

  it('is wrong where the sequence is about to reach its rows', async () => {
    const { run, orders, raise, insert, state } = await openOrders();
    await run(raise);
    await insert();
    await run(`INSERT INTO ${orders} (id, item) VALUES (50, 1)`);
    expect(await state()).toEqual([1, ['wrong'], 3]);
  });
});

describe.each(SQL_DIALECTS)('a column of two generators on $server, as in a swap', (kind) => {
  it('may hold ids of the new one above the old sequence', async () => {
    const own = await openOwnTable(kind);
    const generator = { strategy: 'segment-inproc', column: `${own.table}_orders.id` };
    await own.run(`CREATE TABLE ${own.table}_orders (id bigint PRIMARY KEY)`);
    await own.configure({ before: generator, after: generator });
    await own.ids('apply');
    await own.ids('floor', 'after', '1000');
    await own.run(`INSERT INTO ${own.table}_orders VALUES (${(await own.ids('next', 'after')).stdout})`);
    const doctor = await own.ids('doctor');
    expect([doctor.code, (await own.ids('apply')).code]).toEqual([0, 0]);
    expect(doctor.stdout).toMatch(/^warning\tsequence before\t.*generators\.after/m);
    expect(doctor.stdout).not.toContain('ids floor');
  });

  it('is warned of while two sequences number it side by side', async () => {
    const { run, ids, table, configure } = await openOwnTable(kind);
    await run(`CREATE TABLE ${table}_orders (id bigint)`);
    const of = (name: string) => ({ strategy: 'segment-inproc', name, column: `${table}_orders.id` });
    await configure({ order: of('order'), bill: of('bill') });
    const warned = async () => {
      const { code, stdout } = await ids('doctor', '--json');
      const { checks } = JSON.parse(stdout) as { checks: { what: string; status: string; detail: string }[] };
      const about = checks.filter(({ status, detail }) => status === 'warning' && /both issue/.test(detail));
      return [code, about.map(({ what }) => what)];
    };
    await ids('apply');
    await ids('floor', 'bill', '100');
    expect(await warned()).toEqual([0, ['sequence order']]);
    await ids('floor', 'bill', '10000000');
    expect(await warned()).toEqual([0, []]);
  });
});
