import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  BurstDispenser,
  MemorySegmentSource,
  type ReserveOptions,
  type SegmentEvent,
  type SegmentSource,
} from '../src/index.js';
import { GUARANTEES, range, settle } from './buffer-support.js';

interface UnderTest {
  readonly dispenser: BurstDispenser<number>;
  readonly events: SegmentEvent[];
}

function dispenserOver(
  source: SegmentSource,
  settings: { maxBurst?: number; maxIdsLost?: number; deadlineMs?: number } = {},
): UnderTest {
  const events: SegmentEvent[] = [];
  const dispenser = new BurstDispenser({
    strategy: 'segment-inproc',
    guarantees: GUARANTEES,
    source,
    name: 'order',
    maxBurst: 1_000,
    toId: (value) => value,
    deadlineMs: 30_000,
    onEvent: (event) => events.push(event),
    ...settings,
  });
  onTestFinished(() => dispenser.close());
  return { dispenser, events };
}

/** A source in memory whose next answers, one for each call, a test holds back or replaces with errors. */
class HeldSource extends MemorySegmentSource {
  readonly sizes: number[] = [];
  readonly #held: ((error?: Error) => void)[] = [];
  #holding = false;

  constructor() {
    super({ order: {} });
  }

  hold(): void {
    this.#holding = true;
  }

  /** How many answers are held back. */
  get held(): number {
    return this.#held.length;
  }

  /** Lets the answer that was held back first go, or fail. */
  release(error?: Error): void {
    this.#held.shift()?.(error);
  }

  /** Lets the answer that was held back last go. */
  releaseLast(): void {
    this.#held.pop()?.();
  }

  /** Lets all that is held back go, and holds nothing back from now on. */
  open(): void {
    this.#holding = false;
    while (this.held > 0) this.release();
  }

  override async reserve(name: string, size: number, options?: ReserveOptions) {
    this.sizes.push(size);
    const segment = await super.reserve(name, size, options);
    await this.#wait();
    return segment;
  }

  override async describe(name: string) {
    await this.#wait();
    return super.describe(name);
  }

  #wait(): Promise<void> | undefined {
    if (!this.#holding) return undefined;
    return new Promise((resolve, reject) => {
      this.#held.push((error) => (error === undefined ? resolve() : reject(error)));
    });
  }
}

/** The limit only ends a test that hangs: that of vitest is a second, which a busy machine exceeds. */
function until(condition: () => boolean): Promise<unknown> {
  return vi.waitUntil(condition, 60_000);
}

describe('BurstDispenser', () => {
  it('reserves exactly what the calls of a turn want, once', async () => {
    const source = new HeldSource();
    const { dispenser, events } = dispenserOver(source);
    const calls = [dispenser.next(), dispenser.nextBatch(5), dispenser.next(), dispenser.nextBatch(0)];
    expect(await Promise.all(calls)).toEqual([1, [2, 3, 4, 5, 6], 7, []]);
    expect(source.sizes).toEqual([7]);
    expect(events).toMatchObject([{ type: 'refill', segment: { low: 1, high: 7 } }]);
    expect(dispenser.counters()).toMatchObject({ idsIssued: 7, refills: 1, idsDiscarded: 0, waits: 0 });
  });

  it('gives a call no id that was reserved before the call', async () => {
    const source = new HeldSource();
    source.hold();
    const { dispenser, events } = dispenserOver(source);
    const controller = new AbortController();
    const calls = [dispenser.next(), dispenser.nextBatch(3, { signal: controller.signal })];
    await until(() => source.held === 1);
    const late = dispenser.next();
    controller.abort(new Error('given up'));
    source.open();
    await expect(calls[1]).rejects.toThrow('given up');
    expect(await calls[0]).toBe(1);
    expect(await late).toBe(5);
    expect(source.sizes).toEqual([4, 1]);
    expect(events).toContainEqual({
      type: 'discard',
      name: 'order',
      segment: { low: 2, high: 4 },
      reason: 'its callers had given up',
    });
    expect(dispenser.counters()).toMatchObject({ idsIssued: 2, idsDiscarded: 3 });
  });

  it('reserves a burst that is larger than maxBurst in parts, in order', async () => {
    const source = new HeldSource();
    const { dispenser } = dispenserOver(source, { maxBurst: 10 });
    const [first, second] = [dispenser.nextBatch(25), dispenser.next()];
    expect(await first).toEqual(range(1, 25));
    expect(await second).toBe(26);
    expect(source.sizes).toEqual([10, 10, 6]);
  });

  it('counts the ids of a batch that gives up half-way as lost, not as issued', async () => {
    const source = new HeldSource();
    const { dispenser } = dispenserOver(source, { maxBurst: 10 });
    source.hold();
    const controller = new AbortController();
    const batch = dispenser.nextBatch(25, { signal: controller.signal });
    await until(() => source.held === 1);
    source.release();
    await until(() => source.sizes.length === 2);
    expect(dispenser.counters()).toMatchObject({ idsIssued: 0, idsDiscarded: 0 });
    controller.abort(new Error('given up'));
    await expect(batch).rejects.toThrow('given up');
    source.open();
    expect(await dispenser.nextBatch(3)).toEqual(range(21, 23));
    expect(dispenser.counters()).toMatchObject({ idsIssued: 3, idsDiscarded: 20 });
  });

  it('never has more ids in flight or held for a batch than may be lost', async () => {
    const source = new HeldSource();
    const { dispenser } = dispenserOver(source, { maxIdsLost: 15 });
    const batches = await Promise.all([10, 15, 3, 4, 15].map((count) => dispenser.nextBatch(count)));
    expect(batches.flat()).toEqual(range(1, 47));
    // The second batch has 5 after the first reservation, the last one 8 of the third.
    expect(source.sizes).toEqual([15, 10, 15, 7]);
    await expect(dispenser.nextBatch(16)).rejects.toThrow(/^count\b.*\bmaxIdsLost\b.*\b15\b.*\b16$/);
    expect(source.sizes).toHaveLength(4);
  });

  it('reserves nothing to become ready, and is ok from then on', async () => {
    const source = new HeldSource();
    const { dispenser } = dispenserOver(source);
    expect(dispenser.health()).toEqual({ status: 'not-ready', remaining: 0 });
    await dispenser.ready();
    expect(dispenser.health()).toEqual({ status: 'ok', remaining: 0 });
    expect(source.sizes).toEqual([]);
    await dispenser.ready();
    expect(await dispenser.next()).toBe(1);
  });

  it('is down while its source fails, tries again, and is ok when it answers, without a call', async () => {
    const source = new HeldSource();
    source.hold();
    const { dispenser, events } = dispenserOver(source);
    const controller = new AbortController();
    const call = dispenser.next({ signal: controller.signal });
    await until(() => source.held === 1);
    controller.abort(new Error('given up'));
    await expect(call).rejects.toThrow('given up');
    source.release(new Error('no connection'));
    await until(() => events.some(({ type }) => type === 'refill-failed'));
    expect(dispenser.health()).toMatchObject({ status: 'down', lastError: { code: 'ERR_IDS_UNAVAILABLE' } });
    await until(() => source.held === 1);
    source.open();
    await until(() => dispenser.health().status === 'ok');
    expect(source.sizes).toEqual([1]);
  });

  it('fails the calls that wait when its source refuses for good', async () => {
    const source = new MemorySegmentSource({});
    const { dispenser } = dispenserOver(source);
    const calls = [dispenser.next(), dispenser.nextBatch(3), dispenser.ready()];
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
    expect(dispenser.health()).toMatchObject({ status: 'down', lastError: { code: 'ERR_IDS_CONFIG' } });
  });

  it('asks again after half of the deadline, and drops the first answer if it comes after the second', async () => {
    const source = new HeldSource();
    source.hold();
    // The deadline is that of another clock, so that a pause of this process does not reach it.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { dispenser, events } = dispenserOver(source, { deadlineMs: 60_000 });
    const call = dispenser.next();
    await until(() => source.held === 1);
    vi.advanceTimersByTime(30_000);
    await until(() => source.held === 2);
    source.releaseLast();
    expect(await call).toBe(2);
    source.open();
    await settle();
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'discard',
        segment: { low: 1, high: 1 },
        reason: expect.stringMatching(/^came late/),
      }),
    );
  });

  it('gives callers up at their deadline, with the reason', async () => {
    const source = new HeldSource();
    source.hold();
    const { dispenser } = dispenserOver(source, { deadlineMs: 50 });
    await expect(dispenser.next()).rejects.toMatchObject({
      code: 'ERR_IDS_TIMEOUT',
      message: expect.stringMatching(/"order".*\b50 ms\b/),
      retryable: true,
    });
    source.open();
    await until(() => dispenser.health().status === 'ok');
  });

  it('rejects what waits when it is closed, and drops what arrives after that', async () => {
    const source = new HeldSource();
    source.hold();
    const { dispenser, events } = dispenserOver(source);
    const calls = [dispenser.next(), dispenser.nextBatch(2)];
    await until(() => source.held === 1);
    const closing = dispenser.close();
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'ERR_IDS_CLOSED' });
    await closing;
    source.open();
    await settle();
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'discard',
        segment: { low: 1, high: 3 },
        reason: expect.stringMatching(/closed/),
      }),
    );
    await expect(dispenser.next()).rejects.toMatchObject({ code: 'ERR_IDS_CLOSED' });
    await expect(dispenser.nextBatch(1)).rejects.toMatchObject({ code: 'ERR_IDS_CLOSED' });
    await expect(dispenser.ready()).rejects.toMatchObject({ code: 'ERR_IDS_CLOSED' });
    expect(dispenser.health()).toEqual({ status: 'closed', remaining: 0 });
  });
});
