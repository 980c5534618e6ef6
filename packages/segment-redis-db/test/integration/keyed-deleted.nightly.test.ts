import { deleteKey } from '@ids/keyed/sql';
import { fromPg } from '@ids/store/postgres';
import { describe, expect, it } from 'vitest';
import { clientOf, KeyedFamily } from '../support/keyed-family.js';

const DELETIONS = 20;

describe('a key that is deleted while processes use it', () => {
  it.each([
    ['and its record in Redis stays', false],
    ['and its record in Redis as well', true],
  ])('repeats no id, %s', async (_what, andRecord) => {
    const family = await KeyedFamily.create();
    const executor = fromPg(family.pool);
    const redis = clientOf();
    // So few in a segment that the row is asked all the time.
    const generators = [1, 2].map(() => family.open(undefined, { minStep: 2, maxStep: 4 }));
    let over = false;
    const issuing = (await Promise.all(generators)).map(async (generator) => {
      while (!over) await family.take(generator, ['a', 'b'], 1);
    });
    for (const one of issuing) one.catch(() => undefined);
    const options = { table: family.table };
    const remove = async (): Promise<boolean> => {
      const deleted = await deleteKey(executor, family.name, 'a', options);
      if (deleted && andRecord) await redis.del(family.recordOf('a'));
      return deleted;
    };
    for (let deleted = 0; deleted < DELETIONS; ) if (await remove()) deleted += 1;
    over = true;
    await Promise.all(issuing);
    for (const ids of family.issued.values()) expect(new Set(ids).size).toBe(ids.length);
    expect(family.issued.get('a')?.length).toBeGreaterThan(DELETIONS);
    await remove();
    // By a process that remembers nothing of it.
    const after = await (await family.open()).nextBatch('a', 5);
    expect(after[0]).toBeGreaterThan(Math.max(...(family.issued.get('a') ?? [])));
  });

  it('leaves its name in Redis until its record is deleted or expires', async () => {
    const family = await KeyedFamily.create();
    const redis = clientOf();
    const generator = await family.open();
    await family.take(generator, ['a']);
    expect(await deleteKey(fromPg(family.pool), family.name, 'a', { table: family.table })).toBe(true);
    expect(await redis.exists(family.recordOf('a'))).toBe(1);
    expect(await generator.highest('a')).toBe(5);
    await redis.del(family.recordOf('a'));
    expect(await generator.highest('a')).toBeUndefined();
    await family.take(generator, ['a']);
    family.expectSound(10);
  });
});
