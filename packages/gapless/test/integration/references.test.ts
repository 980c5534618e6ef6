import { ALL_DIALECTS } from '@ids/local-services/dialects';
import { describe, expect, it } from 'vitest';
import { generatorWithin, nextBatchWithin, nextWithin, type TakeOptions } from '../../src/index.js';
import { inTransaction, openNumberDatabase } from './number-database.js';

describe.each(ALL_DIALECTS)('a document with a reference on $server', (kind) => {
  const setUp = async () => {
    const { table, session, connect } = await openNumberDatabase(kind);
    const open = async () => {
      const caller = await connect();
      const take = (reference?: string, key = 'acme', options: TakeOptions = {}) =>
        nextWithin(caller.tx, 'invoice', key, { table, reference, ...options });
      const issue = (...given: Parameters<typeof take>) => inTransaction(caller, () => take(...given));
      return { ...caller, take, issue };
    };
    return { table, session, open };
  };

  it('has the same number each time, from its commit on', async () => {
    const { open } = await setUp();
    const { run, take, issue } = await open();
    await run('BEGIN');
    expect([await take('order-1'), await take('order-2'), await take('order-1')]).toEqual([1, 2, 1]);
    await run('ROLLBACK');
    const taken = [];
    for (const reference of ['order-2', undefined, "Ö'\\?", 'order-2', "Ö'\\?", 'order-1'])
      taken.push(await issue(reference));
    expect(taken).toEqual([1, 2, 3, 1, 3, 4]);
  });

  it('gets back its number together with its reference when a savepoint is rolled back', async () => {
    const { open } = await setUp();
    const { run, take } = await open();
    await run('BEGIN');
    await run('SAVEPOINT one');
    expect(await take('order-1')).toBe(1);
    await run('ROLLBACK TO SAVEPOINT one');
    expect([await take('order-2'), await take('order-1')]).toEqual([1, 2]);
    await run('COMMIT');
  });

  it('has all numbers of a batch again, and nothing else', async () => {
    const { table, open } = await setUp();
    const caller = await open();
    const batch = (count: number) =>
      inTransaction(caller, () =>
        nextBatchWithin(caller.tx, 'invoice', 'acme', count, { table, reference: 'a' }),
      );
    expect([await caller.issue(), await batch(3), await batch(3), await caller.issue()]).toEqual([
      1, 2, 2, 5,
    ]);
    for (const other of [() => batch(2), () => caller.issue('a'), () => caller.issue('a', 'globex')])
      await expect(other()).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
    expect(await caller.issue()).toBe(6);
  });

  it('has one number in transactions at the same time', async () => {
    const { open } = await setUp();
    const callers = await Promise.all(Array.from({ length: 6 }, open));
    const taken = await Promise.all(
      callers.map(async ({ issue }, who) => {
        const numbers = [];
        for (let i = 0; i < 10; i++) numbers.push(await issue(`order-${(i + who) % 10}`));
        return numbers;
      }),
    );
    const distinct = new Map(
      taken.flatMap((numbers, who) => numbers.map((number, i) => [`${(i + who) % 10} ${number}`, number])),
    );
    expect([...distinct.values()].sort((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, i) => i + 1));
  });

  it.skipIf(kind.dialect === 'sqlite')('waits for its other transaction, to the deadline', async () => {
    const { session, table, open } = await setUp();
    const [first, second] = [await open(), await open()];
    for (const [end, reference, expected] of [
      ['ROLLBACK', 'order-1', 1],
      ['COMMIT', 'order-2', 2],
    ] as const) {
      await first.run('BEGIN');
      expect(await first.take(reference)).toBe(expected);
      await expect(second.issue(reference, 'acme', { deadlineMs: 1_000 })).rejects.toMatchObject({
        code: 'ERR_IDS_TIMEOUT',
      });
      const other = second.issue(reference);
      await expect.poll(() => session.waiting(`${table}_reference`)).toBe(1);
      await first.run(end);
      expect(await other).toBe(expected);
    }
    expect(await first.issue('order-3')).toBe(3);
  });

  it.skipIf(kind.dialect === 'sqlite')('has its number although its key is held by others', async () => {
    const { open } = await setUp();
    const [holder, caller] = [await open(), await open()];
    expect(await caller.issue('order-1')).toBe(1);
    await holder.run('BEGIN');
    expect(await holder.take('order-2')).toBe(2);
    expect(await holder.take('order-1')).toBe(1);
    expect(await caller.issue('order-1', 'acme', { deadlineMs: 1_000 })).toBe(1);
    // A claim that got no number is no number.
    await caller.run('BEGIN');
    await expect(caller.take('order-3', 'acme', { deadlineMs: 1_000 })).rejects.toMatchObject({
      code: 'ERR_IDS_TIMEOUT',
    });
    await caller.run('COMMIT');
    await holder.run('COMMIT');
    const both = [holder, caller].map(({ issue }) =>
      issue('order-3').catch((error) => {
        // InnoDB has two wait for each other that find a claim without a number.
        expect(error).toMatchObject({ errno: 1213 });
        return issue('order-3');
      }),
    );
    expect(await Promise.all(both)).toEqual([3, 3]);
  });

  it('is refused without a reference that can be one', async () => {
    const { table, open } = await setUp();
    const { tx, issue } = await open();
    for (const reference of ['', 'x'.repeat(256), 7 as unknown as string])
      await expect(issue(reference)).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
    const options = { table, reference: 'order-1' };
    expect(() => generatorWithin(tx, 'invoice', '', options)).toThrow('"reference"');
    expect(await issue('x'.repeat(255))).toBe(1);
  });
});
