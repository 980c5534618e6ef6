import type { SqlDialect } from '@ids/local-services/dialects';
import { expect, it, onTestFinished } from 'vitest';
import { nextEachWithin, nextWithin } from '../../../src/index.js';
import { recogniseTransaction } from '../../../src/transaction/recognise.js';
import { inTransaction, openNumberDatabase } from '../number-database.js';

/** A library over a database, as a service holds it. */
export interface OpenLibrary {
  /** Runs `work` in a transaction: commits if it resolves, rolls back if it rejects. */
  transaction<T>(work: (tx: unknown) => Promise<T>): Promise<T>;
  /** What is not a transaction, and is easily taken for one. */
  readonly roots: readonly unknown[];
  /** Whether it can run several statements as one message. */
  readonly together?: true;
  end(): Promise<unknown>;
}

/** What holds with every library. `open` connects to a URL; the library is closed with the test. */
export function worksWith(name: string, kind: SqlDialect, open: (url: string) => Promise<OpenLibrary>): void {
  const setUp = async () => {
    const database = await openNumberDatabase(kind);
    const library = await open(database.url);
    onTestFinished(async () => void (await library.end()));
    const next = (tx: unknown, deadlineMs?: number) =>
      nextWithin(tx, 'invoice', 'acme', { table: database.table, deadlineMs });
    return { ...database, library, next };
  };

  it(`a transaction of ${name} uses a number, or gives it back`, async () => {
    const { library, next } = await setUp();
    const gaveUp = new Error('the caller gave up');
    const taken: number[] = [];
    for (const ends of ['roll back', 'commit', 'roll back', 'commit']) {
      const done = library.transaction(async (tx) => {
        taken.push(await next(tx));
        if (ends === 'roll back') throw gaveUp;
      });
      if (ends === 'roll back') await expect(done).rejects.toBe(gaveUp);
      else await done;
    }
    expect(await library.transaction(async (tx) => [await next(tx), await next(tx)])).toEqual([3, 4]);
    expect(taken).toEqual([1, 1, 2, 2]);
  });

  it(`a transaction of ${name} takes numbers of several keys, and a document gets the same one again`, async () => {
    const { library, table } = await setUp();
    const wanted = [{ series: 'invoice', key: 'acme', reference: 'order-1' }, { series: 'invoice' }];
    const issue = () => library.transaction((tx) => nextEachWithin(tx, wanted, { table }));
    expect([await issue(), await issue()]).toEqual([
      [1, 1],
      [1, 2],
    ]);
  });

  it(`what ${name} has besides transactions is refused, and so is one that has ended`, async () => {
    const { library, next } = await setUp();
    for (const root of library.roots) {
      await expect(next(root)).rejects.toMatchObject({
        name: 'TypeError',
        message: expect.stringContaining('commit by themselves'),
      });
    }
    const ended = await library.transaction(async (tx) => ({ tx }));
    await expect(next(ended.tx)).rejects.toThrow();
    expect(await library.transaction(next)).toBe(1);
  });

  it(`the error at the deadline of a transaction of ${name} is that of this package`, async () => {
    const { library, next, connect, table } = await setUp();
    const holder = await connect();
    await inTransaction(holder, () => nextWithin(holder.tx, 'invoice', 'acme', { table }));
    await holder.run('BEGIN');
    await nextWithin(holder.tx, 'invoice', 'acme', { table });
    await expect(library.transaction((tx) => next(tx, 300))).rejects.toMatchObject({
      code: 'ERR_IDS_TIMEOUT',
      message: expect.stringMatching(/key "acme": .*held by process \d+/),
    });
    await holder.run('ROLLBACK');
    expect(await library.transaction(next)).toBe(2);
  });

  it(`${name} runs several statements as one message, or has no call for that`, async () => {
    const { library } = await setUp();
    const { together = false } = library;
    await library.transaction(async (tx) => {
      const { runTogether } = recogniseTransaction(tx);
      expect(runTogether !== undefined).toBe(together);
      const rows = await runTogether?.(['SELECT 1 AS n', 'SELECT 2 AS n']);
      expect(rows).toEqual(together ? [{ n: 2 }] : undefined);
    });
  });
}
