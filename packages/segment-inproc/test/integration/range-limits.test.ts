import type { Id } from '@ids/core';
import { uniqueName } from '@ids/local-services';
import { SQL_DIALECTS } from '@ids/local-services/dialects';
import { createSequence } from '@ids/segment/sql';
import { describe, expect, it } from 'vitest';
import { createSegmentInprocGenerator } from '../../src/index.js';
import { createContext, withExecutor } from '../support/subject.js';

/** Opens a sequence whose first id is `first`. */
async function openAt(database: string, first: bigint, as: 'number' | 'bigint' | 'string') {
  const context = await createContext(database, uniqueName('limits'), as);
  const options = { startAfter: Number(first - 1n), table: context.table };
  await withExecutor(database, (executor) => createSequence(executor, 'late', options));
  return createSegmentInprocGenerator({ ...context, name: 'late', minStep: 10, maxStep: 10 });
}

function texts(first: bigint, count: number): string[] {
  return Array.from({ length: count }, (_, i) => String(first + BigInt(i)));
}

const CASES = SQL_DIALECTS.flatMap((kind) =>
  (['number', 'bigint', 'string'] as const).map((as) => ({ ...kind, as })),
);

describe.each(CASES)('segment-inproc on $server as $as', ({ shared, as }) => {
  it.each([2n ** 31n, 2n ** 32n])('gives exact ids on both sides of %s', async (boundary) => {
    const first = boundary - 12n;
    await using generator = await openAt(await shared(), first, as);
    const ids: Id[] = [await generator.next(), ...(await generator.nextBatch(7))];
    for (let i = 0; i < 9; i++) {
      await generator.ready();
      ids.push(generator.nextSync());
    }
    ids.push(...(await generator.nextBatch(13)));
    expect(ids.map(String)).toEqual(texts(first, 30));
    expect(typeof ids[0]).toBe(as);
  });

  it('gives every id up to 2^53 - 1, and then ERR_IDS_EXHAUSTED', async () => {
    const last = 2n ** 53n - 1n;
    const first = last - 34n;
    await using generator = await openAt(await shared(), first, as);
    const ids: Id[] = await generator.nextBatch(8);
    while (ids.length < 35) ids.push(await generator.next());
    expect(ids.map(String)).toEqual(texts(first, 35));
    const exhausted = { code: 'ERR_IDS_EXHAUSTED', retryable: false };
    await expect(generator.next()).rejects.toMatchObject(exhausted);
    await expect(generator.nextBatch(2)).rejects.toMatchObject(exhausted);
    expect(generator.health()).toMatchObject({ status: 'down', lastError: { code: 'ERR_IDS_EXHAUSTED' } });
  });
});
