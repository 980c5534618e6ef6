import { PGlite } from '@electric-sql/pglite';
import { runSegmentSourceContract } from '@ids/conformance';
import { afterAll, describe, expect, it } from 'vitest';
import { formatTicket } from '../src/index.js';
import {
  createSequence,
  ensureSchema,
  fromPglite,
  openSource,
  SqlSegmentSource,
  setFloor,
  whoIssued,
} from '../src/sql/index.js';
import { origin } from './origin.js';

// One database for all tests, since it takes a second to start; a schema for each.
const database = new PGlite();
const executor = fromPglite(database);
let schemas = 0;
afterAll(() => database.close());

async function openTable(): Promise<string> {
  const schema = `test_${++schemas}`;
  await database.query(`CREATE SCHEMA ${schema}`);
  const table = `${schema}.id_segment`;
  await ensureSchema(executor, { table });
  return table;
}

runSegmentSourceContract(
  {
    name: 'SqlSegmentSource over PGlite',
    open: async () => {
      const table = await openTable();
      return {
        source: new SqlSegmentSource(executor, { table }),
        createSequence: (name, startAfter) => createSequence(executor, name, { startAfter, table }),
      };
    },
  },
  { describe, it },
);

describe('SqlSegmentSource over PGlite', () => {
  it('says where a sequence stands when it is created, created again and raised', async () => {
    const table = await openTable();
    const realm = expect.stringMatching(/^[0-9a-f-]{36}$/);
    expect(await createSequence(executor, 'order', { table })).toEqual({ created: true, realm, maxId: 0 });
    expect(await setFloor(executor, 'order', 5_000, { table })).toEqual({ realm, maxId: 5_000 });
    expect(await setFloor(executor, 'order', 10, { table })).toEqual({ realm, maxId: 5_000 });
    expect(await createSequence(executor, 'order', { table, startAfter: 3 })).toEqual({
      created: false,
      realm,
      maxId: 5_000,
      reigns: expect.any(Array),
    });
  });

  it('keeps a log and counts tickets by day, as a server does', async () => {
    const table = await openTable();
    await ensureSchema(executor, { table, log: true });
    const group = { by: 'day', timeZone: 'Asia/Shanghai' } as const;
    await createSequence(executor, 'ticket', { table, group });
    const source = new SqlSegmentSource(executor, { table, log: true, owner: 'desk 3' });
    expect(await source.describe('ticket')).toMatchObject({ maxId: 0, group });
    const { low } = await source.reserve('ticket', 3);
    expect(formatTicket(low)).toMatch(/^20\d{6}-000001$/);
    expect(await whoIssued(executor, 'ticket', low + 2, { table })).toMatchObject({
      grants: [{ low, high: low + 2, owner: 'desk 3' }],
    });
  });

  it('uses the table id_segment unless told otherwise', async () => {
    await ensureSchema(executor);
    await createSequence(executor, 'order');
    expect(await new SqlSegmentSource(executor).reserve('order', 5)).toEqual({ low: 1, high: 5, origin });
  });

  it('refuses a transaction, which could be rolled back after its segment was used', async () => {
    await database.transaction(async (transaction) => {
      // @ts-expect-error a transaction is no database
      expect(() => fromPglite(transaction)).toThrow(TypeError);
    });
  });

  it('leaves the database open for its owner', async () => {
    const table = await openTable();
    await createSequence(executor, 'order', { table });
    const source = new SqlSegmentSource(executor, { table, closeExecutor: true });
    const opened = await openSource({ source });
    expect(opened).toEqual({ source, owned: false });
    await source.close();
    expect((await database.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });
});
