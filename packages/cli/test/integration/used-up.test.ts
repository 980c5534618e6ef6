import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { openOwnSchema } from '../support/own-schema.js';

/** What a page tells the owner of a table to run, after a mark. */
async function statementsOf(page: string, mark: string): Promise<string> {
  const text = await readFile(new URL(`../../../../docs/operations/${page}`, import.meta.url), 'utf8');
  const [, sql] = text.split(`<!-- ${mark} -->`)[1]?.split(/```(?:sql)?\n/) ?? [];
  return sql as string;
}

async function openOwn(generators: object) {
  const own = await openOwnSchema();
  await own.configure(generators);
  expect((await own.ids(['apply'])).code).toBe(0);
  return {
    ...own,
    run: async (sql: string) => (await own.executor.execute(sql, [])).rows,
    next: async () => BigInt((await own.ids(['next', 'order'])).stdout.trim()),
    wrong: async () => (await own.ids(['doctor'])).stdout.match(/^wrong\t(?:sequence|slots) order\t.*$/gm),
  };
}

it.each(['9007199254740991', '9007199254740990 - 1000'])(
  'finds a sequence wrong that was set to %s, and the steps for that end it above all IDs',
  async (end) => {
    const { run, next, wrong, ids } = await openOwn({ order: { strategy: 'segment-inproc', log: true } });
    const [before, reserved] = [await next(), await run('SELECT max(high) AS high FROM id_segment_log')];
    expect(await wrong()).toBeNull();
    await run(`UPDATE id_segment SET max_id = ${end}`);
    expect(await wrong()).toMatchObject([expect.stringContaining('#a-sequence-at-its-end')]);

    await run(await statementsOf('segment-table.md', 'used up'));
    expect((await ids(['apply', '--start-after', String(before)])).code).toBe(0);
    expect(await next()).toBe(BigInt(String(reserved[0]?.high)) + 1n);
    expect(await wrong()).toBeNull();
    await expect(run('DELETE FROM id_segment')).rejects.toMatchObject({ code: '23001' });
  },
);

it('finds slots wrong that were taken for ever, and the steps for that free them above all IDs', async () => {
  const { run, next, wrong, ids } = await openOwn({ order: { strategy: 'snowflake', startup: 'at-once' } });
  const before = await next();
  expect(await wrong()).toBeNull();
  await run('UPDATE id_slot SET until_ms = 9007199254740991');
  expect(await wrong()).toMatchObject([expect.stringContaining('#slots-that-are-taken-for-years')]);
  expect((await ids(['next', 'order'])).stderr).toContain('+275760-09-13');

  await run(await statementsOf('snowflake.md', 'taken'));
  await expect.poll(next, { timeout: 60_000 }).toBeGreaterThan(before);
  expect(await wrong()).toBeNull();
  await expect(run('UPDATE id_slot SET until_ms = 0')).rejects.toMatchObject({ code: '23001' });
}, 90_000);
