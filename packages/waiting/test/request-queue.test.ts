import { getEventListeners } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Demand } from '../src/demand.js';
import { RequestQueue } from '../src/request-queue.js';
import { Starvation } from '../src/starvation.js';

/** `low..high`, inclusive. */
function range(low: number, high: number): number[] {
  return Array.from({ length: high - low + 1 }, (_, i) => low + i);
}

/** Lets everything that can go on without the outside do so. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function queue(deadlineMs = 30_000): RequestQueue<number> {
  return new RequestQueue({
    deadlineMs,
    toId: (value) => value,
    expired: () => new Error('waited too long'),
  });
}

/** How often listeners were added to a signal and removed from it so far. */
function countListenerCalls(signal: AbortSignal): { added: number; removed: number } {
  const calls = { added: 0, removed: 0 };
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    calls.added++;
    addEventListener.apply(signal, args);
  };
  signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    calls.removed++;
    removeEventListener.apply(signal, args);
  };
  return calls;
}

describe('RequestQueue', () => {
  it('gives ids to requests in the order of their arrival, a batch whole before the next request', async () => {
    const waiting = queue();
    const results = Promise.all([waiting.enqueue(1), waiting.enqueue(3), waiting.enqueue(1)]);
    expect(waiting.wanted).toBe(5);
    expect(waiting.give(1, 2)).toBe(2);
    expect(waiting.headWanted).toBe(2);
    expect(waiting.give(10, 99)).toBe(3);
    expect(await results).toEqual([[1], [2, 10, 11], [12]]);
    expect(waiting.wanted).toBe(0);
    expect(waiting.headWanted).toBe(0);
  });

  it('takes nothing when nobody waits', () => {
    expect(queue().give(1, 10)).toBe(0);
  });

  it('passes over a request that gave up', async () => {
    const waiting = queue();
    const controller = new AbortController();
    const first = waiting.enqueue(5, controller.signal);
    const second = waiting.enqueue(1);
    controller.abort(new Error('given up'));
    await expect(first).rejects.toThrow('given up');
    expect(waiting.wanted).toBe(1);
    waiting.give(1, 10);
    expect(await second).toEqual([1]);
  });

  it('refuses a signal that is aborted on arrival', async () => {
    const waiting = queue();
    await expect(waiting.enqueue(1, AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
    await expect(waiting.enqueueOne(AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
    expect(waiting.wanted).toBe(0);
  });

  it('adds one listener to a signal, however many requests share it, and keeps none that outlives them', async () => {
    const waiting = queue();
    const { signal } = new AbortController();
    const calls = countListenerCalls(signal);
    const requests = range(1, 1_000).map(() => waiting.enqueue(1, signal));
    expect(getEventListeners(signal, 'abort').length).toBe(1);
    waiting.give(1, 500);
    waiting.fail(new Error('over'));
    await Promise.allSettled(requests);
    expect(getEventListeners(signal, 'abort').length).toBe(0);
    expect(calls).toEqual({ added: 1, removed: 1 });
  });

  it('gives up all requests of a signal at once, in time that is linear in their number', async () => {
    const waiting = queue();
    const controller = new AbortController();
    const calls = countListenerCalls(controller.signal);
    const requests = range(1, 1_000).map(() => waiting.enqueue(1, controller.signal));
    const other = waiting.enqueueOne();
    controller.abort(new Error('given up'));
    expect(waiting.wanted).toBe(1);
    const results = await Promise.allSettled(requests);
    expect(results.filter(({ status }) => status === 'rejected').length).toBe(1_000);
    waiting.give(7, 7);
    expect(await other).toBe(7);
    // Each of these calls looks through all listeners: one for each request makes the time quadratic.
    expect(calls).toEqual({ added: 1, removed: 0 });
  });

  it('rejects each request at its own deadline and serves those that came later', async () => {
    const waiting = queue(50);
    const first = waiting.enqueue(1);
    await expect(first).rejects.toThrow('waited too long');
    const second = waiting.enqueue(1);
    waiting.give(7, 7);
    expect(await second).toEqual([7]);
    await expect(waiting.enqueue(1)).rejects.toThrow('waited too long');
  });

  it('wakes up at the deadline of one request after the other, and only then', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'], now: 0 });
    onTestFinished(() => void vi.useRealTimers());
    const wakeUps = vi.spyOn(globalThis, 'setTimeout');
    vi.advanceTimersByTime(1_000);
    const waiting = queue(100);
    const expired: string[] = [];
    const wait = (name: string) => void waiting.enqueue(1).catch(() => expired.push(name));
    const after = async (ms: number) => {
      vi.advanceTimersByTime(ms);
      await settle();
      return expired.join();
    };
    wait('first');
    expect(await after(60)).toBe('');
    wait('second');
    expect(await after(39)).toBe('');
    expect(await after(1)).toBe('first');
    expect(await after(59)).toBe('first');
    expect(await after(1)).toBe('first,second');
    expect(wakeUps).toHaveBeenCalledTimes(2);
  });

  it('has no first request while nobody waits', () => {
    expect([queue().headArrival, queue().headWanted]).toEqual([0, 0]);
  });

  it('gives only to requests that had arrived when the ids were fetched', async () => {
    const waiting = queue();
    const first = waiting.enqueue(1);
    const mark = waiting.arrivals;
    const second = waiting.enqueue(1);
    expect(waiting.give(1, 10, mark)).toBe(1);
    expect(await first).toEqual([1]);
    waiting.give(20, 20);
    expect(await second).toEqual([20]);
  });

  it('rejects all that wait when it fails', async () => {
    const waiting = queue();
    const requests = [waiting.enqueue(1), waiting.enqueue(2)];
    waiting.fail(new Error('over'));
    for (const request of requests) await expect(request).rejects.toThrow('over');
    expect(waiting.wanted).toBe(0);
  });

  it('is starved while its requests fail, whatever fails them, until there are ids and nobody waits', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const expired = () => new Error('waited too long');
    const demand = new Demand({ deadlineMs: 30_000, toId: (value) => value, expired });
    const waiting = demand.calls;
    const first = waiting.enqueue(1);
    vi.advanceTimersByTime(700);
    waiting.fail(new Error('refused'));
    await expect(first).rejects.toThrow('refused');
    const second = waiting.enqueue(1);
    demand.ready();
    vi.advanceTimersByTime(400);
    expect(waiting.starvedMs).toBe(1_100);
    waiting.fail(new Error('refused'));
    await expect(second).rejects.toThrow('refused');
    demand.answered();
    expect(waiting.starvedMs).toBe(1_100);
    demand.ready();
    expect(waiting.starvedMs).toBeUndefined();
  });
});

const ALONE = false;
const OTHERS = true;

describe('starvation', () => {
  it('begins with the first request that waits, and is told after a second', () => {
    const starvation = new Starvation();
    expect(starvation.tooLong(5_000, ALONE)).toBeUndefined();
    starvation.waits(5_000, ALONE);
    starvation.waits(5_900, OTHERS);
    expect(starvation.tooLong(5_999, OTHERS)).toBeUndefined();
    expect(starvation.tooLong(6_000, OTHERS)).toBe(1_000);
  });

  it('ends when a request is served, and begins again then for those that wait', () => {
    const starvation = new Starvation();
    starvation.waits(0, ALONE);
    starvation.served(1_500, OTHERS);
    expect(starvation.tooLong(2_499, OTHERS)).toBeUndefined();
    expect(starvation.tooLong(2_500, OTHERS)).toBe(1_000);
    starvation.served(2_600, ALONE);
    starvation.waits(9_000, ALONE);
    expect(starvation.tooLong(9_999, OTHERS)).toBeUndefined();
  });

  it('goes on from one request that failed to the next, and for a second after the last', () => {
    const starvation = new Starvation();
    starvation.waits(0, ALONE);
    starvation.failed(300);
    starvation.waits(1_300, ALONE);
    expect(starvation.tooLong(1_300, OTHERS)).toBe(1_300);
    starvation.failed(1_600);
    expect(starvation.tooLong(2_600, ALONE)).toBe(2_600);
    expect(starvation.tooLong(2_601, ALONE)).toBeUndefined();
    starvation.waits(2_601, ALONE);
    expect(starvation.tooLong(3_600, OTHERS)).toBeUndefined();
    expect(starvation.tooLong(3_601, OTHERS)).toBe(1_000);
  });

  it('ends when the last request is given up by its caller', () => {
    const starvation = new Starvation();
    starvation.waits(0, ALONE);
    starvation.reset();
    expect(starvation.tooLong(5_000, ALONE)).toBeUndefined();
    starvation.waits(5_000, ALONE);
    expect(starvation.tooLong(5_500, OTHERS)).toBeUndefined();
  });
});
