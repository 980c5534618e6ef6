import { skipAfter } from '@ids/store';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  BurstDispenser,
  KnownReigns,
  reserveAbove,
  type SegmentEvent,
  type SegmentSource,
  SupersededReignError,
} from '../src/index.js';
import { skipToReinstate } from '../src/table/reinstating.js';
import { GUARANTEES } from './buffer-support.js';
import { twoServers } from './two-servers.js';

const MINUTE_MS = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'Date', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A process that knows the successor, at 900, and asks whoever `route` says. */
function processAt(
  source: SegmentSource,
  known = new KnownReigns('order', { reigns: ['b', 'a'], maxId: 900 }),
) {
  const events: SegmentEvent[] = [];
  const ask = (floor = 0) =>
    reserveAbove(source, 'order', 10, floor, { onEvent: (event) => events.push(event), known });
  /** Asks a former primary that refuses, and then again after each pause; the last one may be answered. */
  const askAfter = async (...pausesMs: readonly number[]) => {
    for (const pauseMs of pausesMs) {
      await expect(ask()).rejects.toThrow(SupersededReignError);
      vi.advanceTimersByTime(pauseMs);
    }
    return ask();
  };
  return { ask, askAfter, events, known };
}

const only = (server: 'a' | 'b') => twoServers(Array(400).fill(server));

describe('a former primary that answers for a minute, while nobody meets its successor', () => {
  it('is the primary again, above all that is known of the successor, in a reign that follows both', async () => {
    const { source, servers } = only('a');
    const { askAfter, events, known } = processAt(source);
    expect(await askAfter(30_000, 30_000)).toMatchObject({ low: 10_901, high: 10_910 });
    expect(servers.a.reigns).toEqual(['again1', 'b', 'a']);
    expect(known.reigns).toEqual(['again1', 'b', 'a']);
    expect(events).toEqual([
      { type: 'reinstated', name: 'order', reign: 'again1', follows: ['b'], maxId: 10_900, skipped: 10_000 },
    ]);
  });

  it('is so for others, too, who find it in the row and change nothing', async () => {
    const { source, servers } = only('a');
    const [one, other] = [processAt(source), processAt(source)];
    await expect(other.ask()).rejects.toThrow(SupersededReignError);
    await one.askAfter(MINUTE_MS);
    expect(await other.ask()).toMatchObject({ low: 10_911 });
    expect(await processAt(source, new KnownReigns('order', { reigns: ['a'] })).ask()).toMatchObject({
      low: 10_921,
    });
    expect(servers.a.reigns).toEqual(['again1', 'b', 'a']);
    expect(other.events).toEqual([]);
  });

  it('is raised by one of two that do it at once', async () => {
    const { source, servers } = only('a');
    const both = [processAt(source), processAt(source)];
    for (const { ask } of both) await expect(ask()).rejects.toThrow(SupersededReignError);
    vi.advanceTimersByTime(MINUTE_MS);
    const lows = (await Promise.all(both.map(({ ask }) => ask()))).map(({ low }) => low);
    expect(lows.toSorted()).toEqual([10_901, 10_911]);
    expect(servers.a.reigns).toHaveLength(3);
  });

  it('is raised above the floor of a caller who knows more', async () => {
    const { source } = only('a');
    const { askAfter, ask } = processAt(source);
    await expect(askAfter(MINUTE_MS - 1)).rejects.toThrow(SupersededReignError);
    vi.advanceTimersByTime(1);
    expect(await ask(5_000)).toMatchObject({ low: 15_001 });
  });

  it('is any server that was left for another one, though neither has followed the other', async () => {
    // It had met `c`, then `b`, whose commits lacked `c`; now `c` is the only one left.
    const { source, servers } = only('a');
    servers.a.reigns = ['c', 'a'];
    const known = new KnownReigns('order', { reigns: ['c', 'a'] });
    known.accept({ reigns: ['b', 'a'] });
    expect(await processAt(source, known).askAfter(MINUTE_MS)).toMatchObject({ low: 10_051 });
    expect(servers.a.reigns).toEqual(['again1', 'b', 'c', 'a']);
  });
});

describe('a former primary is refused on', () => {
  const refused = async (at: ReturnType<typeof processAt>) =>
    expect(await at.ask().catch((error: unknown) => error)).toBeInstanceOf(SupersededReignError);

  it('for a minute after its successor was met, by this process or by others', async () => {
    const { source, answers } = only('a');
    const at = processAt(source);
    await refused(at);
    vi.advanceTimersByTime(MINUTE_MS);
    answers.unshift('b');
    await at.ask();
    await refused(at);
    at.known.laterReignSeen();
    vi.advanceTimersByTime(MINUTE_MS);
    await refused(at);
    at.known.learn(['d', 'b', 'a']);
    vi.advanceTimersByTime(MINUTE_MS);
    await refused(at);
  });

  it('if nobody asked for longer than a minute', async () => {
    const at = processAt(only('a').source);
    await refused(at);
    vi.advanceTimersByTime(MINUTE_MS + 1);
    await refused(at);
  });

  it('if its source cannot reinstate it, or another server answers by then', async () => {
    const { source, servers, answers } = only('a');
    const { reinstate: _, ...unable } = source;
    await expect(processAt(unable).askAfter(MINUTE_MS)).rejects.toThrow(SupersededReignError);
    // The row reads as before, and the statement reaches the successor.
    const at = processAt(source);
    await refused(at);
    vi.advanceTimersByTime(MINUTE_MS);
    answers.unshift('a', 'b');
    await refused(at);
    expect([servers.a.maxId, servers.b.reigns]).toEqual([50, ['b', 'a']]);
  });

  it('for as long as the option says', async () => {
    const { source } = only('a');
    const known = new KnownReigns('order', { reigns: ['b', 'a'] }, 2 * MINUTE_MS);
    await processAt(source, known).askAfter(MINUTE_MS, MINUTE_MS);
  });
});

it('health of ids in real-time order is down as long as each call is refused, also without calls', async () => {
  const { source } = only('a');
  const dispenser = new BurstDispenser({
    ...{ strategy: 'segment-inproc', guarantees: GUARANTEES, source, name: 'order', maxBurst: 100 },
    ...{ origin: { reigns: ['b', 'a'] }, toId: (value: number) => value, deadlineMs: 200 },
  });
  onTestFinished(() => dispenser.close());
  const call = dispenser.next().catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(300);
  expect(await call).toMatchObject({ code: 'ERR_IDS_UNAVAILABLE', cause: expect.any(SupersededReignError) });
  await vi.advanceTimersByTimeAsync(MINUTE_MS - 2_000);
  const { status, lastError } = dispenser.health();
  expect([status, lastError?.code]).toEqual(['down', 'ERR_IDS_UNAVAILABLE']);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(dispenser.health()).toMatchObject({ status: 'ok', lastRegression: expect.any(Object) });
  expect(await dispenser.next()).toBe(10_051);
});

it('leaves as much as an option above a successor that lagged behind what its callers knew', () => {
  const skips = { failover: 1_000, restore: 500 };
  const successorBegan = skipAfter('restore', skips, { timelines: 1 }) ?? 0;
  expect(skipToReinstate(skips, ['later'], {})).toBe(successorBegan + 1_000);
});
