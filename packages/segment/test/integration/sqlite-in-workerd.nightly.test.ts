import { runSegmentSourceContract } from '@ids/conformance';
import { startWorkerd, type Workerd } from '@ids/local-services/workerd';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createSequence,
  type D1DatabaseLike,
  ensureSchema,
  fromD1,
  missingSchema,
  type SqliteExecutor,
  SqliteSegmentSource,
  setFloor,
} from '../../src/sqlite/index.js';

let workerd: Workerd;

beforeAll(async () => {
  workerd = await startWorkerd(import.meta.dirname);
});
afterAll(() => workerd.close());

const STORES = { D1: () => workerd.d1, 'a Durable Object': () => workerd.object };

describe.each(Object.entries(STORES))('%s', (name, executorOf) => {
  let tables = 0;
  const openTable = async () => {
    const table = `ids_${++tables}`;
    await ensureSchema(executorOf(), { table, log: true });
    return table;
  };
  const open = async () => {
    const table = await openTable();
    return {
      source: new SqliteSegmentSource(executorOf(), { table, log: true }),
      createSequence: (name: string, startAfter: number) =>
        createSequence(executorOf(), name, { startAfter, table }),
    };
  };
  runSegmentSourceContract({ name: `SqliteSegmentSource over ${name}`, open }, { describe, it });

  it('has the guards of the table, and says what it does not notice', async () => {
    const table = await openTable();
    expect(await missingSchema(executorOf(), { table, log: true })).toEqual([]);
    await createSequence(executorOf(), 'order', { table, startAfter: 100 });
    for (const sql of [
      `UPDATE ${table} SET max_id = 99`,
      `DELETE FROM ${table}`,
      `REPLACE INTO ${table} (server_name, max_id) VALUES ('order', 1)`,
    ]) {
      await expect(executorOf().execute(sql, [])).rejects.toThrow(/rejected/);
    }
    const source = new SqliteSegmentSource(executorOf(), { table });
    expect((await source.describe('order')).warnings).toEqual([
      expect.stringMatching(/is not noticed.*setFloor/),
    ]);
    await setFloor(executorOf(), 'order', 500, { table });
    expect((await source.reserve('order', 1)).low).toBe(501);
    await expect(new SqliteSegmentSource(executorOf(), { table: 'other' }).describe('order')).rejects.toThrow(
      /no such table.*ensureSchema/,
    );
  });

  it('skips once what a row may lack that came from another database', async () => {
    const table = await openTable();
    const row = `INSERT INTO ${table} (server_name, max_id, reign_server) VALUES ('order', 100, 'elsewhere')`;
    await executorOf().execute(row, []);
    const source = new SqliteSegmentSource(executorOf(), { table, afterRestore: 1_000 });
    expect((await source.describe('order')).pending).toBe('restore');
    expect(await source.reserve('order', 10)).toMatchObject({
      low: 1_101,
      newReign: { cause: 'restore', skipped: 1_000 },
    });
    expect(await source.reserve('order', 10)).not.toHaveProperty('newReign');
  });
});

it('D1 is given up on when the caller gives up, while the statement runs', async () => {
  const table = 'ids_abort';
  const d1 = fromD1(workerd.binding as D1DatabaseLike);
  await ensureSchema(d1, { table });
  await createSequence(d1, 'order', { table });
  const [controller, reason] = [new AbortController(), new Error('given up')];
  const aborted: SqliteExecutor = {
    ...d1,
    execute: (text, values, signal) => {
      const result = d1.execute(text, values, signal);
      controller.abort(reason);
      return result;
    },
  };
  const { signal } = controller;
  await expect(new SqliteSegmentSource(aborted, { table }).reserve('order', 5, { signal })).rejects.toBe(
    reason,
  );
  // The statement may still have run.
  expect([1, 6]).toContain((await new SqliteSegmentSource(d1, { table }).reserve('order', 5)).low);
});
