import { describe, expect, it } from 'vitest';
import { type IdGenerator, isSyncGenerator, MAX_BATCH } from '../src/index.js';
import { memoryGenerator } from '../src/strategy.js';
import { COUNTER_GUARANTEES } from './support.js';

function counter() {
  let next = 1;
  return memoryGenerator({ strategy: 'counter', guarantees: COUNTER_GUARANTEES, issue: () => next++ });
}

describe('a generator in memory', () => {
  it('gives single ids and batches from one sequence', async () => {
    const generator = counter();
    expect(generator.nextSync()).toBe(1);
    expect(await generator.next()).toBe(2);
    expect(generator.nextBatchSync(2)).toEqual([3, 4]);
    expect(await generator.nextBatch(2)).toEqual([5, 6]);
    expect(isSyncGenerator(generator)).toBe(true);
  });

  it('is told from one that can only be waited for', () => {
    const { nextSync: _, ...waiting } = counter();
    expect(isSyncGenerator(waiting as unknown as IdGenerator)).toBe(false);
  });

  it('takes options without a signal, and is ready at once', async () => {
    const generator = counter();
    expect(await generator.next({})).toBe(1);
    expect(await generator.nextBatch(1, {})).toEqual([2]);
    await generator.ready({});
    await generator.ready();
  });

  it('is closed at the end of the block that uses it', async () => {
    const generator = counter();
    {
      await using used = generator;
      used.nextSync();
    }
    expect(generator.health()).toEqual({ status: 'closed' });
  });

  it('counts the ids that callers got, and no others, also after close', async () => {
    const [generator, other] = [counter(), counter()];
    expect(generator.counters?.()).toEqual({ idsIssued: 0 });
    generator.nextSync();
    await generator.next();
    generator.nextBatchSync(3);
    await generator.nextBatch(4);
    expect(() => generator.nextBatchSync(-1)).toThrow(RangeError);
    await expect(generator.next({ signal: AbortSignal.abort() })).rejects.toThrow();
    await generator.close();
    expect(() => generator.nextSync()).toThrow('closed');
    expect(() => generator.nextBatchSync(2)).toThrow('closed');
    expect(generator.counters?.()).toEqual({ idsIssued: 9 });
    expect(other.counters?.()).toEqual({ idsIssued: 0 });
  });

  it('does not count what could not be issued', () => {
    let left = 3;
    const issue = () => {
      if (left === 0) throw new RangeError('no ids left');
      return left--;
    };
    const generator = memoryGenerator({ strategy: 'countdown', guarantees: COUNTER_GUARANTEES, issue });
    generator.nextSync();
    expect(() => generator.nextBatchSync(5)).toThrow('no ids left');
    expect(() => generator.nextSync()).toThrow('no ids left');
    expect(generator.counters?.()).toEqual({ idsIssued: 1 });
  });

  it('uses the faster way to make a batch when there is one', () => {
    const generator = memoryGenerator({
      strategy: 'constant',
      guarantees: COUNTER_GUARANTEES,
      issue: () => 1,
      issueBatch: (count) => new Array<number>(count).fill(7),
    });
    expect(generator.nextBatchSync(2)).toEqual([7, 7]);
  });

  it.each([-1, 1.5, 1e9, Number.NaN, MAX_BATCH + 1])(
    'refuses a batch of %s and names the range',
    async (count) => {
      const generator = counter();
      const message = `count must be a whole number from 0 to ${MAX_BATCH}, got ${count}`;
      expect(() => generator.nextBatchSync(count)).toThrow(new RangeError(message));
      await expect(generator.nextBatch(count)).rejects.toThrow(new RangeError(message));
      expect(generator.nextSync()).toBe(1);
    },
  );

  it('gives a batch of 0 and one of the greatest size', () => {
    expect(counter().nextBatchSync(0)).toEqual([]);
    expect(counter().nextBatchSync(MAX_BATCH)).toHaveLength(MAX_BATCH);
  });

  it('rejects an aborted call with the reason of the abort and takes no id for it', async () => {
    const generator = counter();
    const reason = new Error('caller left');
    const options = { signal: AbortSignal.abort(reason) };
    await expect(generator.next(options)).rejects.toBe(reason);
    await expect(generator.nextBatch(3, options)).rejects.toBe(reason);
    await expect(generator.ready(options)).rejects.toBe(reason);
    expect(generator.nextSync()).toBe(1);
  });

  it('answers every call after close with ERR_IDS_CLOSED, and closes twice without harm', async () => {
    const generator = counter();
    expect(generator.health()).toEqual({ status: 'ok' });
    await generator.close();
    await generator.close();
    const closed = { code: 'ERR_IDS_CLOSED', retryable: false };
    expect(() => generator.nextSync()).toThrow('closed');
    expect(() => generator.nextBatchSync(1)).toThrow('closed');
    await expect(generator.next()).rejects.toMatchObject(closed);
    await expect(generator.nextBatch(1)).rejects.toMatchObject(closed);
    await expect(generator.ready()).rejects.toMatchObject(closed);
    expect(generator.health()).toEqual({ status: 'closed' });
  });
});
