import { ALL_DIALECTS } from '@ids/local-services/dialects';
import { describe, expect, it } from 'vitest';
import { createSeries, nextEachWithin, nextWithin, type WantedNumber } from '../../src/index.js';
import { inTransaction, openNumberDatabase } from './number-database.js';

describe.each(ALL_DIALECTS)('numbers of several keys on $server', (kind) => {
  const setUp = async () => {
    const { table, executor, session, connect } = await openNumberDatabase(kind);
    await createSeries(executor, 'receipt', { table });
    const open = async () => {
      const caller = await connect();
      const each = (...wanted: WantedNumber[]) => nextEachWithin(caller.tx, wanted, { table });
      return { ...caller, each };
    };
    return { table, session, open };
  };
  const of = (series: string, key?: string, reference?: string): WantedNumber => ({ series, key, reference });

  it('come in the order in which they were asked for', async () => {
    const { open } = await setUp();
    const caller = await open();
    const wanted = [of('receipt', 'b'), of('invoice', 'a', 'order-1'), of('invoice'), of('receipt', 'b')];
    expect(await inTransaction(caller, () => caller.each(...wanted))).toEqual([1, 1, 1, 2]);
    expect(await inTransaction(caller, () => caller.each(...wanted.reverse()))).toEqual([3, 2, 1, 4]);
    expect(await inTransaction(caller, () => caller.each())).toEqual([]);
  });

  it('are all given back if one cannot be had, and the transaction goes on', async () => {
    const { table, open } = await setUp();
    const caller = await open();
    const wanted = [of('invoice', 'a', 'order-1'), of('zebra', 'a')];
    await caller.run('BEGIN');
    await expect(caller.each(...wanted)).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
    expect(await nextWithin(caller.tx, 'invoice', 'a', { table })).toBe(1);
    await caller.run('COMMIT');
  });

  it('are refused outside a transaction, and none is taken', async () => {
    const { open } = await setUp();
    const caller = await open();
    const wanted = [of('invoice', 'a'), of('invoice', 'b')];
    await expect(caller.each(...wanted)).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
    expect(await inTransaction(caller, () => caller.each(...wanted))).toEqual([1, 1]);
  });

  it.skipIf(kind.dialect === 'sqlite')(
    'are taken in one order, so that nobody waits in a circle',
    async () => {
      const { table, session, open } = await setUp();
      const [first, second] = [await open(), await open()];
      const wanted = [of('invoice', 'a'), of('invoice', 'b')];
      await inTransaction(first, () => first.each(...wanted));
      const documents = [of('receipt', 'a', 'order-2'), of('receipt', 'a', 'order-1')];
      expect(await inTransaction(first, () => first.each(...documents))).toEqual([2, 1]);
      await first.run('BEGIN');
      expect(await nextWithin(first.tx, 'invoice', 'a', { table })).toBe(2);
      const other = inTransaction(second, () => second.each(...wanted.reverse()));
      await expect.poll(() => session.waiting(table)).toBe(1);
      expect(await nextWithin(first.tx, 'invoice', 'b', { table, deadlineMs: 2_000 })).toBe(2);
      await first.run('COMMIT');
      expect(await other).toEqual([3, 3]);
    },
  );
});
