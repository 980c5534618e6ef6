import { getEventListeners } from 'node:events';
import { IdError } from '@ids/core';
import { describe, expect, it } from 'vitest';
import {
  type KeyAnswer,
  type KeyedEvent,
  type KeyedReserveOptions,
  type KeyedSource,
  type KeyRequest,
  MemoryKeyedSource,
} from '../src/index.js';
import { openGenerator } from './integration/key-database.js';

type Answer = (requests: readonly KeyRequest[], options: KeyedReserveOptions) => Promise<KeyAnswer[]>;

/** A source that answers reservations as `answer` does, and otherwise like one in memory. */
function scripted(answer: (memory: Answer) => Answer): KeyedSource {
  const memory = new MemoryKeyedSource({ message: 0 });
  const script = answer(async (requests, options) => {
    return [...(await memory.reserve('message', requests, options)).keys];
  });
  return {
    describe: (family) => memory.describe(family),
    reserve: async (_family, requests, options) => ({ keys: await script(requests, options) }),
    highest: (family, key) => memory.highest(family, key),
    close: () => memory.close(),
  };
}

describe('KeyedDispenser', () => {
  it('shares a statement among all calls of a turn, and asks for a key in one at a time', async () => {
    const asked: string[][] = [];
    const underWay = new Set<string>();
    const source = scripted((memory) => async (requests, options) => {
      asked.push(requests.map(({ key, size }) => `${key} ${size}`));
      for (const { key } of requests) {
        expect(underWay.has(key), key).toBe(false);
        underWay.add(key);
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
      for (const { key } of requests) underWay.delete(key);
      return memory(requests, options);
    });
    const generator = await openGenerator(source);
    const calls = ['a', 'b', 'a', 'a'].map((key) => generator.next(key));
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    calls.push(generator.next('a'), generator.next('c'));
    expect(await Promise.all(calls)).toEqual([1, 1, 2, 3, 4, 1]);
    expect(asked[0]).toEqual(['a 3', 'b 1']);
    expect(asked.flat().sort()).toEqual(['a 1', 'a 3', 'b 1', 'c 1']);
    expect(generator.counters()).toMatchObject({ idsIssued: 6, newKeys: 3, idsDiscarded: 0 });
    await generator.close();
  });

  it('reads the highest id within the time that a call has, and not after it is closed', async () => {
    const source = { ...scripted((memory) => memory), highest: () => new Promise<never>(() => undefined) };
    const generator = await openGenerator(source, { deadlineMs: 50 });
    await expect(generator.highest('a')).rejects.toMatchObject({ code: 'ERR_IDS_TIMEOUT' });
    const pending = generator.highest('a');
    await generator.close();
    await expect(pending).rejects.toMatchObject({ code: 'ERR_IDS_CLOSED' });
  });

  it('keeps one listener on a signal for all calls of highest, and none after them', async () => {
    const source = { ...scripted((memory) => memory), highest: () => new Promise<never>(() => undefined) };
    const generator = await openGenerator(source);
    const controller = new AbortController();
    const { signal } = controller;
    const pending = Array.from({ length: 20 }, () => generator.highest('a', { signal }));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    controller.abort('enough');
    const reasons = (await Promise.allSettled(pending)).map((one) => one.status === 'rejected' && one.reason);
    expect(new Set(reasons)).toEqual(new Set(['enough']));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    await generator.close();
  });

  it('keeps nothing of a call that wants no ids', async () => {
    const generator = await openGenerator(new MemoryKeyedSource({ message: 0 }));
    expect(await generator.nextBatch('a', 0, { startAfter: 100 })).toEqual([]);
    expect(await generator.next('a', { startAfter: 500 })).toBe(501);
    await expect(generator.nextBatch('a', 0, { startAfter: -1 })).rejects.toThrow(RangeError);
    await generator.close();
  });

  it('does not let other keys wait for one whose ids come later', async () => {
    let come: (() => void) | undefined;
    const source = scripted((memory) => async (requests, options) => {
      const answers = await memory(requests, options);
      return answers.map((answer, i) => {
        if (requests[i]?.key !== 'slow') return answer;
        return {
          later: new Promise((resolve) => {
            come = () => resolve(answer);
          }),
        };
      });
    });
    const generator = await openGenerator(source);
    const slow = generator.next('slow');
    for (let i = 1; i <= 3; i++) expect(await generator.next('quick')).toBe(i);
    const second = generator.next('slow');
    come?.();
    expect(await slow).toBe(1);
    // It was asked for again with the first ones, since a key is in one request at a time.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    come?.();
    expect(await second).toBe(2);
    await generator.close();
  });

  it('asks again for a key whose ids failed to come later, unless they never will', async () => {
    let failures = 0;
    const source = scripted((memory) => async (requests, options) => {
      const answers = await memory(requests, options);
      return answers.map((answer, i) => {
        const key = requests[i]?.key;
        if (key === 'lost') {
          return { later: Promise.reject(new IdError('ERR_IDS_CONFIG', 'no right to write')) };
        }
        if (key !== 'unlucky' || failures === 2) return answer;
        failures += 1;
        return { later: Promise.reject(new Error('no connection')) };
      });
    });
    const failed: string[] = [];
    const onEvent = (event: KeyedEvent) => {
      if (event.type === 'reserve-failed') failed.push(event.error.message);
    };
    const generator = await openGenerator(source, { onEvent });
    const unlucky = generator.next('unlucky');
    await expect(generator.next('lost')).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
    expect(await generator.next('other')).toBe(1);
    expect(generator.health().status).toBe('ok');
    expect(await unlucky).toBe(3);
    expect(failed.filter((message) => message.includes('its source failed'))).toHaveLength(2);
    await generator.close();
  });

  it('counts keys that begin later among those that may begin', async () => {
    const begun: string[] = [];
    const source = scripted((memory) => async (requests, options) => {
      const answers = await memory(requests, options);
      return answers.map((answer, i) => {
        if ('high' in answer && answer.isNew) begun.push(requests[i]?.key ?? '');
        return { later: new Promise((resolve) => setImmediate(() => resolve(answer))) };
      });
    });
    const generator = await openGenerator(source, { maxNewKeysPerSecond: 2, deadlineMs: 400 });
    const calls = ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => generator.next(key));
    await Promise.allSettled(calls);
    expect(begun.length).toBeGreaterThanOrEqual(2);
    expect(begun.length).toBeLessThanOrEqual(3);
    await generator.close();
  });

  it('raises a key that went back, and says so', async () => {
    let answered = 0;
    const floors: (number | undefined)[] = [];
    const source = scripted((memory) => async (requests, options) => {
      floors.push(requests[0]?.floor);
      // The second answer is that of a table which was set back.
      return ++answered === 2 ? [{ high: 2, isNew: false }] : memory(requests, options);
    });
    const events: KeyedEvent[] = [];
    const generator = await openGenerator(source, { maxStep: 2, onEvent: (event) => events.push(event) });
    expect(await generator.nextBatch('a', 4)).toEqual([1, 2, 3, 4]);
    expect(floors).toEqual([undefined, undefined, 2]);
    const segment = { low: 1, high: 2 };
    expect(events).toContainEqual({ type: 'regression', name: 'message', key: 'a', floor: 2, segment });
    expect(generator.health()).toMatchObject({
      status: 'ok',
      lastRegression: { message: expect.stringContaining('key "a"') },
    });
    expect(generator.counters()).toMatchObject({ regressions: 1, idsDiscarded: 2, idsIssued: 4 });
    await generator.close();
  });

  it('asks again after a failure until it is answered, and gives up at once if that cannot help', async () => {
    let failures = 2;
    let error = new IdError('ERR_IDS_UNAVAILABLE', 'no answer');
    const source = scripted((memory) => async (requests, options) => {
      if (failures-- > 0) throw error;
      return memory(requests, options);
    });
    const generator = await openGenerator(source);
    expect(await Promise.all([generator.next('a'), generator.next('b')])).toEqual([1, 1]);
    expect(generator.counters().refillFailures).toBe(2);
    [failures, error] = [1, new IdError('ERR_IDS_CONFIG', 'no such table')];
    await expect(generator.next('a')).rejects.toBe(error);
    expect(generator.health()).toMatchObject({ status: 'down', lastError: { code: 'ERR_IDS_CONFIG' } });
    expect(await generator.next('a')).toBe(2);
    expect(generator.health().status).toBe('ok');
    await generator.close();
  });

  it('lets so many keys begin per second, and says why others wait', async () => {
    const source = new MemoryKeyedSource({ message: 0 });
    const generator = await openGenerator(source, { maxNewKeysPerSecond: 20, deadlineMs: 1_500 });
    const keys = Array.from({ length: 200 }, (_, i) => `k${i}`);
    const settled = await Promise.allSettled(keys.map((key) => generator.next(key)));
    const refused = settled.filter((one) => one.status === 'rejected');
    expect(refused.length).toBeGreaterThan(100);
    expect(settled.length - refused.length).toBeGreaterThanOrEqual(20);
    expect(refused[0]?.reason).toMatchObject({
      code: 'ERR_IDS_TIMEOUT',
      message: expect.stringMatching(/20 per second that "maxNewKeysPerSecond" allows/),
    });
    // Those that have begun are not limited.
    const begun = keys.filter((_, i) => settled[i]?.status === 'fulfilled').slice(0, 15);
    expect(await Promise.all(begun.map((key) => generator.next(key)))).toEqual(begun.map(() => 2));
    await generator.close();
  });

  it('issues ids of keys that are accepted only', async () => {
    const source = new MemoryKeyedSource({ message: 0 });
    const generator = await openGenerator(source, { accept: (key) => key.startsWith('group:') });
    expect(await generator.next('group:1')).toBe(1);
    await expect(generator.next('user:1')).rejects.toThrow(RangeError);
    await expect(generator.highest('user:1')).rejects.toThrow(/"accept"/);
    expect(() => generator.of('user:1')).toThrow(RangeError);
    await generator.close();
  });

  it('drops what a source answers after the time limit, and gives later ids', async () => {
    let asked = 0;
    const source = scripted((memory) => async (requests, options) => {
      const answer = await memory(requests, options);
      if (++asked === 1) await new Promise((resolve) => options.signal?.addEventListener('abort', resolve));
      return answer;
    });
    const generator = await openGenerator(source, { deadlineMs: 400 });
    expect(await generator.next('a')).toBe(2);
    await generator.close();
  });
});
