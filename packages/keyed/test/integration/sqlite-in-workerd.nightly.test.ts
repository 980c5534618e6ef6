import { runKeyedSourceContract } from '@ids/conformance';
import { startWorkerd, type Workerd } from '@ids/local-services/workerd';
import { createSequence } from '@ids/segment/sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deleteKey,
  ensureKeyedSchema,
  missingKeyedSchema,
  raiseKey,
  SqliteKeyedSource,
  whoIssued,
} from '../../src/sqlite/index.js';
import { reserve } from './key-database.js';

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
    await ensureKeyedSchema(executorOf(), { table, log: true });
    return table;
  };
  runKeyedSourceContract(
    {
      name: `SqliteKeyedSource over ${name}`,
      cannotLock: true,
      open: async () => {
        const table = await openTable();
        const source = () => new SqliteKeyedSource(executorOf(), { table, log: true });
        return {
          source: source(),
          other: source(),
          createFamily: (family, startAfter, group) =>
            createSequence(executorOf(), family, { startAfter, group, table }),
        };
      },
    },
    { describe, it },
  );

  it('has the guards of both tables, and deletes, raises and explains a key', async () => {
    const table = await openTable();
    const executor = executorOf();
    expect(await missingKeyedSchema(executor, { table, log: true })).toEqual([]);
    await createSequence(executor, 'message', { table });
    const source = new SqliteKeyedSource(executor, { table, log: true, owner: 'desk' });
    expect(await reserve(source, ['a', 'b'], 5)).toEqual([5, 5]);
    for (const sql of [`UPDATE ${table}_key SET max_id = 1`, `DELETE FROM ${table}_key`]) {
      await expect(executor.execute(sql, [])).rejects.toThrow(/rejected/);
    }
    expect((await source.describe('message')).warnings).toEqual([
      expect.stringMatching(/is not noticed.*setFloor/),
    ]);
    expect(await raiseKey(executor, 'message', 'a', 500, { table })).toBe(500);
    expect(await reserve(source, ['a'], 1)).toEqual([501]);
    expect(await whoIssued(executor, 'message', 'a', 501, { table })).toMatchObject({
      grants: [{ low: 501, high: 501, owner: 'desk' }],
    });
    expect(await deleteKey(executor, 'message', 'a', { table })).toBe(true);
    expect((await reserve(source, ['a'], 1))[0]).toBeGreaterThan(501);
  });
});
