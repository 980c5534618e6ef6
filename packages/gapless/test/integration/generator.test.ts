import { ALL_DIALECTS } from '@ids/local-services/dialects';
import { describe, expect, it } from 'vitest';
import { generatorWithin, nextBatchWithin, nextWithin } from '../../src/index.js';
import { inTransaction, openNumberDatabase } from './number-database.js';

describe.each(ALL_DIALECTS)('calls at once on one connection to $server', (kind) => {
  it('get their numbers in turn, also of new keys and of two generators', async () => {
    const { table, connect } = await openNumberDatabase(kind);
    const { tx, run } = await connect();
    const next = (key: string) => nextWithin(tx, 'invoice', key, { table });
    for (const first of [1, 9]) {
      await run('BEGIN');
      const [one, other] = ['a', 'a'].map((key) => generatorWithin(tx, 'invoice', key, { table }));
      const taken = await Promise.all([
        next('a'),
        one?.next(),
        other?.nextBatch(2),
        nextBatchWithin(tx, 'invoice', 'a', 3, { table }),
        next('b'),
        next('a'),
      ]);
      await run('COMMIT');
      const b = first === 1 ? 1 : 2;
      expect(taken).toEqual([first, first + 1, [first + 2, first + 3], first + 4, b, first + 7]);
    }
  });

  it('get numbers of their own through two objects, whose statements mix', async () => {
    const { table, connect } = await openNumberDatabase(kind);
    const { run } = await connect();
    const order: string[] = [];
    const through = (name: string) => ({
      dialect: kind.dialect,
      run(text: string) {
        order.push(name);
        return run(text);
      },
    });
    const [one, other] = [through('one'), through('other')];
    await run('BEGIN');
    const taken: number[] = [];
    for (let i = 0; i < 4; i++) {
      const both = [one, other].map((tx) => nextWithin(tx, 'invoice', 'a', { table }));
      taken.push(...(await Promise.all(both)));
    }
    await run('COMMIT');
    expect(order.join(' ')).toContain('one other one other');
    expect(taken.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('do not fail with one that fails before them', async () => {
    const { table, connect } = await openNumberDatabase(kind);
    const caller = await connect();
    const aborted = AbortSignal.abort('changed its mind');
    const numbers = await inTransaction(caller, () => {
      const generator = generatorWithin(caller.tx, 'invoice', '', { table });
      return Promise.allSettled([generator.next({ signal: aborted }), generator.next()]);
    });
    expect(numbers).toEqual([
      { status: 'rejected', reason: 'changed its mind' },
      { status: 'fulfilled', value: 1 },
    ]);
  });
});

describe.each(ALL_DIALECTS)('a generator on $server', (kind) => {
  it('takes no number once its transaction has ended, and says so', async () => {
    const { table, connect } = await openNumberDatabase(kind);
    const { tx, run } = await connect();
    for (const [end, first] of [
      ['ROLLBACK', 1],
      ['COMMIT', 1],
      ['COMMIT', 2],
    ] as const) {
      await run('BEGIN');
      const generator = generatorWithin(tx, 'invoice', '', { table });
      expect(await generator.next()).toBe(first);
      expect(generator.health()).toEqual({ status: 'ok' });
      await run(end);
      const refused = { code: 'ERR_IDS_CONFIG', message: expect.stringContaining('no transaction is open') };
      await expect(generator.next()).rejects.toMatchObject(refused);
      await expect(generator.nextBatch(2)).rejects.toMatchObject(refused);
      expect(generator.health()).toMatchObject({ status: 'down', lastError: refused });
      expect(generator.counters?.()).toEqual({ idsIssued: 1 });
    }
  });

  it('takes numbers of the transaction that its connection has begun since', async () => {
    const { table, connect } = await openNumberDatabase(kind);
    const caller = await connect();
    const generator = generatorWithin(caller.tx, 'invoice', '', { table });
    const taken = [];
    for (const end of ['ROLLBACK', 'COMMIT', 'COMMIT']) {
      await caller.run('BEGIN');
      taken.push(await generator.next());
      await caller.run(end);
    }
    expect(taken).toEqual([1, 1, 2]);
  });

  it('settles pending calls when it closes, and leaves the transaction open', async () => {
    const { table, connect } = await openNumberDatabase(kind);
    const caller = await connect();
    const taken = await inTransaction(caller, async () => {
      const generator = generatorWithin(caller.tx, 'invoice', '', { table });
      const pending = Promise.all([generator.next(), generator.nextBatch(2)]);
      await generator.close();
      await expect(generator.next()).rejects.toMatchObject({ code: 'ERR_IDS_CLOSED' });
      return [...(await pending), await nextWithin(caller.tx, 'invoice', '', { table })];
    });
    expect(taken).toEqual([1, [2, 3], 4]);
  });

  it('is not made of a pool, a misspelled option or a key that is too long', async () => {
    const { table, connect } = await openNumberDatabase(kind);
    const { tx } = await connect();
    expect(() => generatorWithin({}, 'invoice')).toThrow(TypeError);
    expect(() => generatorWithin(tx, 'invoice', '', { table, deadlineMs: 0 })).toThrow(/deadlineMs/);
    expect(() => generatorWithin(tx, 'invoice', 'x'.repeat(5_000), { table })).toThrow(/key/);
  });
});
