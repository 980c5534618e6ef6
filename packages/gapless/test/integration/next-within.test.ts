import { ALL_DIALECTS } from '@ids/local-services/dialects';
import { describe, expect, it } from 'vitest';
import { findGaps, nextBatchWithin, nextWithin } from '../../src/index.js';
import { inTransaction, openNumberDatabase } from './number-database.js';

describe.each(ALL_DIALECTS)('a number on $server', (kind) => {
  it('counts from 1 within each key, and is used by a commit', async () => {
    const { table, connect } = await openNumberDatabase(kind);
    const caller = await connect();
    const next = (key?: string) =>
      inTransaction(caller, () => nextWithin(caller.tx, 'invoice', key, { table }));
    expect([await next(), await next(), await next('acme'), await next('Acme'), await next('acme')]).toEqual([
      1, 2, 1, 1, 2,
    ]);
  });

  it('is given back by a rollback, also that of a new key', async () => {
    const { table, connect } = await openNumberDatabase(kind);
    const caller = await connect();
    for (const key of ['', 'new']) {
      const taken = [];
      for (const end of ['ROLLBACK', 'COMMIT', 'ROLLBACK', 'COMMIT']) {
        await caller.run('BEGIN');
        taken.push(await nextWithin(caller.tx, 'invoice', key, { table }));
        await caller.run(end);
      }
      expect(taken).toEqual([1, 1, 2, 2]);
    }
  });

  it('is given back by the rollback to a savepoint, and by nothing else', async () => {
    const { table, connect } = await openNumberDatabase(kind);
    const caller = await connect();
    const next = () => nextWithin(caller.tx, 'invoice', 'acme', { table });
    const taken = await inTransaction(caller, async () => {
      const numbers = [await next()];
      await caller.run('SAVEPOINT one');
      numbers.push(await next());
      await caller.run('ROLLBACK TO SAVEPOINT one');
      numbers.push(await next());
      await caller.run('RELEASE SAVEPOINT one');
      return [...numbers, await next()];
    });
    expect(taken).toEqual([1, 2, 2, 3]);
  });

  it.runIf(kind.dialect === 'mysql')('is taken under every sql_mode, also of a new key', async () => {
    const { table, connect } = await openNumberDatabase(kind);
    const caller = await connect();
    for (const mode of ['', 'ANSI', 'TRADITIONAL']) {
      await caller.run(`SET SESSION sql_mode = '${mode}'`);
      const next = () => inTransaction(caller, () => nextWithin(caller.tx, 'invoice', `k${mode}`, { table }));
      expect([await next(), await next()], mode).toEqual([1, 2]);
    }
  });

  it('comes with others in a batch, whose first one is returned', async () => {
    const { table, connect } = await openNumberDatabase(kind);
    const caller = await connect();
    const taken = await inTransaction(caller, async () => [
      await nextBatchWithin(caller.tx, 'invoice', 'a', 3, { table }),
      await nextWithin(caller.tx, 'invoice', 'a', { table }),
      await nextBatchWithin(caller.tx, 'invoice', 'a', 2, { table }),
    ]);
    expect(taken).toEqual([1, 4, 5]);
  });

  it.skipIf(kind.dialect === 'sqlite')('waits for the transaction that has the one before', async () => {
    const { table, session, connect } = await openNumberDatabase(kind);
    const [first, second] = [await connect(), await connect()];
    for (const [end, expected] of [
      ['COMMIT', [1, 2]],
      ['ROLLBACK', [3, 3]],
    ] as const) {
      await first.run('BEGIN');
      const one = await nextWithin(first.tx, 'invoice', 'acme', { table });
      let arrived = false;
      const other = inTransaction(second, () => nextWithin(second.tx, 'invoice', 'acme', { table })).finally(
        () => {
          arrived = true;
        },
      );
      await expect.poll(() => session.waiting(table)).toBe(1);
      expect(arrived).toBe(false);
      await first.run(end);
      expect([one, await other]).toEqual(expected);
    }
  });

  it.skipIf(kind.dialect === 'sqlite')('does not wait for other keys, also new ones', async () => {
    const { table, connect } = await openNumberDatabase(kind);
    const [holder, caller] = [await connect(), await connect()];
    const next = (on: typeof caller, key: string) =>
      nextWithin(on.tx, 'invoice', key, { table, deadlineMs: 2_000 });
    for (const key of ['b', 'd']) await inTransaction(caller, () => next(caller, key));
    await holder.run('BEGIN');
    expect([await next(holder, 'b'), await next(holder, 'd'), await next(holder, 'f')]).toEqual([2, 2, 1]);
    for (const key of ['a', 'c', 'e', 'g']) {
      expect(await inTransaction(caller, () => next(caller, key)), key).toBe(1);
    }
    await holder.run('COMMIT');
  });

  it.skipIf(kind.dialect === 'sqlite')(
    'is not taken by calls that wait behind one that rejects',
    async () => {
      const { table, invoices, executor, connect } = await openNumberDatabase(kind);
      const [holder, caller] = [await connect(), await connect()];
      const next = (on: typeof caller, key: string, deadlineMs?: number) =>
        nextWithin(on.tx, 'invoice', key, { table, deadlineMs });
      const issue = (keys: readonly string[], deadlineMs?: number) =>
        inTransaction(caller, async () => {
          const numbers = await Promise.all(keys.map((key) => next(caller, key, deadlineMs)));
          const rows = numbers.map((number, i) => `(${number}, '${keys[i]}')`);
          await caller.run(`INSERT INTO ${invoices} VALUES ${rows.join(', ')}`);
        });
      const keys = [...'abcdefgh'];
      await issue(keys);
      await holder.run('BEGIN');
      await next(holder, 'a');
      await expect(issue(keys, 300)).rejects.toMatchObject({ code: 'ERR_IDS_TIMEOUT' });
      // The next transaction of the connection, as one that a pool has lent to somebody else.
      await issue(['h']);
      await holder.run('ROLLBACK');
      const documents = { table: invoices, column: 'number', keyColumn: 'customer' };
      expect((await findGaps(executor, documents, { table, series: 'invoice' })).findings).toEqual([]);
    },
  );

  it('leaves no gap and repeats nothing beside many callers, of which some roll back', async () => {
    const { table, invoices, session, connect } = await openNumberDatabase(kind);
    const [CALLERS, CALLS] = [6, 30];
    const keys = ['acme', 'globex'];
    await Promise.all(
      Array.from({ length: CALLERS }, async (_, who) => {
        const caller = await connect();
        for (let i = 0; i < CALLS; ) {
          const key = keys[(who + i) % 2] as string;
          await caller.run('BEGIN');
          try {
            const number = await nextWithin(caller.tx, 'invoice', key, { table });
            await caller.run(`INSERT INTO ${invoices} VALUES (${number}, '${key}')`);
            await caller.run(i % 3 === who % 3 ? 'ROLLBACK' : 'COMMIT');
            i++;
          } catch (error) {
            // InnoDB has two wait for each other after the first one that makes a key has rolled back.
            expect(error).toMatchObject({ errno: 1213 });
            await caller.run('ROLLBACK');
          }
        }
      }),
    );
    for (const key of keys) {
      const rows = await session.query(
        `SELECT number FROM ${invoices} WHERE customer = '${key}' ORDER BY number`,
      );
      expect(rows.length).toBe((CALLERS * CALLS) / 2 - (CALLERS * CALLS) / 6);
      expect(rows.map(({ number }) => Number(number))).toEqual(rows.map((_, i) => i + 1));
    }
  });
});
