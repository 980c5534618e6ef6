import { readFile } from 'node:fs/promises';
import { openIds } from '@ids/config';
import { nextWithin } from '@ids/gapless';
import { segmentInproc } from '@ids/segment-inproc';
import { describe, expect, it, onTestFinished } from 'vitest';
import { inTransaction } from '../../src/tables/transaction.js';
import { openOwnDatabase } from '../support/own-database.js';

/** What a page tells the owner of a table to run, after a mark. */
async function statementsOf(page: string, mark: string): Promise<string> {
  const text = await readFile(new URL(`../../../../docs/${page}`, import.meta.url), 'utf8');
  const [, sql] = text.split(`<!-- ${mark} -->`)[1]?.split(/```(?:sql)?\n/) ?? [];
  return sql as string;
}

const ORDER = { strategy: 'segment-inproc', log: true } as const;
const KEYED = { strategy: 'segment-inproc', order: 'real-time', keyed: true, log: true };
const DAILY = { ...KEYED, group: { by: 'day', timeZone: 'UTC' } };

describe.each(['postgres', 'mysql'] as const)('at its end, on %s', (dialect) => {
  async function openOwn(generators: object, series?: object) {
    const own = await openOwnDatabase(dialect);
    await own.configure(generators, series);
    expect((await own.ids(['apply'])).code).toBe(0);
    return {
      ...own,
      repair: async (page: string, mark: string) =>
        own.run(await statementsOf(page, dialect === 'mysql' ? `${mark} on mysql` : mark)),
      next: async (...argv: string[]) => BigInt((await own.ids(['next', ...argv])).stdout.trim()),
      /** What the doctor finds wrong, besides generators that it does not open for that. */
      wrong: async () => (await own.ids(['doctor'])).stdout.match(/^wrong\t(?!generator).*$/gm),
    };
  }
  const refused = expect.objectContaining({ code: expect.stringMatching(/^(23001|ER_|45000)/) });

  it.each(['9007199254740991', '9007199254740990 - 1000'])(
    'finds a sequence wrong that was set to %s, and the steps for that end it above all IDs',
    async (end) => {
      const { url, run, next, wrong, ids, repair } = await openOwn({ order: ORDER, other: ORDER });
      // One that nobody stops, and one of another row.
      const config = { database: url, generators: { order: ORDER, other: ORDER } };
      const running = await openIds({ strategies: [segmentInproc], config });
      onTestFinished(() => running.close());
      const take = async (name: 'order' | 'other') => BigInt((await running.get(name).next()) as number);
      const issued = [await next('order'), await take('order')];
      const others = [await take('other')];
      const [reserved] = await run(
        "SELECT max(high) AS high FROM id_segment_log WHERE server_name = 'order'",
      );
      expect(await wrong()).toBeNull();
      await run(`UPDATE id_segment SET max_id = ${end} WHERE server_name = 'order'`);
      expect(await wrong()).toMatchObject([expect.stringContaining('#a-sequence-at-its-end')]);

      await repair('operations/segment-table.md', 'used up');
      others.push(await take('other'));
      expect((await ids(['apply', '--start-after', String(issued[0])])).code).toBe(0);
      issued.push(await next('order'));
      expect(issued[2]).toBe(BigInt(String(reserved?.high)) + 1n);
      // It goes on with what it holds, and then no further.
      const takeAll = async () => {
        for (;;) issued.push(await take('order'));
      };
      await expect(takeAll()).rejects.toMatchObject({ code: 'ERR_IDS_REALM' });
      expect(issued.length).toBeGreaterThan(100);
      expect(new Set(issued).size).toBe(issued.length);
      expect(new Set([...others, await take('other')]).size).toBe(3);
      expect(await wrong()).toBeNull();
      await expect(run('DELETE FROM id_segment')).rejects.toEqual(refused);
    },
  );

  it('finds a family and its keys wrong that were set so, and the steps for keys end it', async () => {
    const { run, next, wrong, ids, repair } = await openOwn({ message: KEYED, daily: DAILY });
    const before = await next('message', '--key', 'group:42');
    await next('daily', '--key', 'a');
    expect(await wrong()).toBeNull();
    await run(`UPDATE id_segment_key SET max_id = 9007199254740991`);
    await run(`UPDATE id_segment SET max_id = 9007199254740991`);
    const found = (await wrong())?.map((line) => line.split('\t')[1]);
    const families = ['family message', 'family daily'];
    expect(found).toEqual(families.flatMap((family) => [family, `keys of ${family}`]));

    await repair('operations/segment-table.md', 'key used up');
    expect((await ids(['apply'])).code).toBe(0);
    expect((await ids(['floor', 'message', '48000', '--key', 'group:42'])).code).toBe(0);
    expect(await next('message', '--key', 'group:42')).toBeGreaterThan(before + 47_000n);
    expect((await wrong())?.join()).not.toContain('keys of family message');
    await expect(run('UPDATE id_segment_key SET max_id = 1')).rejects.toEqual(refused);
  });

  it('finds a series wrong that was set so or fills its format, and the steps for that end it', async () => {
    const { url, run, wrong, ids, repair, configure } = await openOwn({}, { invoice: {} });
    await run('CREATE TABLE invoices (customer varchar(9), number bigint, code varchar(9))');
    await run("INSERT INTO invoices VALUES ('acme', 41, 'R-98')");
    expect((await ids(['floor', 'invoice', '41', '--key', 'acme', '--force'])).code).toBe(0);
    expect(await wrong()).toBeNull();
    await run('UPDATE id_number SET last_number = 9007199254740991');
    expect(await wrong()).toMatchObject([expect.stringContaining('numbers.md#a-key-at-its-end')]);

    // A service that goes on trying, and says why it gets nothing.
    const bill = () =>
      inTransaction(url, async (tx) => {
        const number = await nextWithin(tx, 'invoice', 'acme');
        const { query } = tx as { query(sql: string): Promise<unknown> };
        await query.call(tx, `INSERT INTO invoices VALUES ('acme', ${number}, 'R-98')`);
      }).catch((error: { code: string }) => error.code);
    expect(await bill()).toBe('ERR_IDS_EXHAUSTED');
    const service = (async () => {
      while (Number((await run('SELECT count(*) AS n FROM invoices'))[0]?.n) < 10) await bill();
    })();
    await repair('numbers.md', 'number used up');
    await service;
    expect((await ids(['apply'])).code).toBe(0);
    expect(await wrong()).toBeNull();
    const [numbers] = await run('SELECT count(DISTINCT number) AS n, max(number) AS last FROM invoices');
    expect([numbers?.n, numbers?.last].map(Number)).toEqual([10, 50]);
    await expect(run('UPDATE id_number SET last_number = 1')).rejects.toEqual(refused);

    await configure({}, { invoice: { startAfter: { table: 'invoices', column: 'code', format: 'R-{00}' } } });
    await ids(['apply']);
    expect(await wrong()).toBeNull();
    expect((await ids(['floor', 'invoice', '99', '--key', ''])).code).toBe(0);
    expect(await wrong()).toMatchObject([expect.stringContaining('numbers.md#a-key-at-its-end')]);
  });

  it('finds slots wrong that were taken for ever, and the steps for that free them above all IDs', async () => {
    const worker = { strategy: 'snowflake', startup: 'at-once' };
    const { run, next, wrong, ids, repair } = await openOwn({ order: worker });
    const before = await next('order');
    expect(await wrong()).toBeNull();
    await run('UPDATE id_slot SET until_ms = 9223372036854775807 WHERE slot = 0');
    expect(await wrong()).toMatchObject([expect.stringContaining('#slots-that-are-taken-for-years')]);
    expect(await next('order')).toBeGreaterThan(before);
    await run('UPDATE id_slot SET until_ms = 9007199254740991 WHERE slot > 0');
    expect(await wrong()).toMatchObject([expect.stringContaining('#slots-that-are-taken-for-years')]);
    expect((await ids(['next', 'order'])).stderr).toContain('+275760-09-13');

    await repair('operations/snowflake.md', 'taken');
    expect((await ids(['apply'])).code).toBe(0);
    await expect.poll(() => next('order'), { timeout: 60_000 }).toBeGreaterThan(before);
    expect(await wrong()).toBeNull();
    await expect(run('UPDATE id_slot SET until_ms = 0')).rejects.toEqual(refused);
  }, 90_000);
});
