import { Demand, LastFailure } from '@ids/waiting';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { layoutOf } from '../src/ids/layout.js';
import type { SnowflakeEvent } from '../src/windows/events.js';
import { HeldWindows } from '../src/windows/held-windows.js';
import { Keeper } from '../src/windows/keeper.js';
import { AHEAD_MS, WINDOW_MS } from '../src/windows/lengths.js';
import type { SlotTable } from '../src/windows/slot-table.js';
import { Tenancy } from '../src/windows/tenancy.js';
import { ALL_GUARDS, SimulatedSlots } from './support/simulated-slots.js';

/** What the database's clock shows when the monotonic one shows 0: any time after the layout's epoch. */
const DATABASE_MS = Date.UTC(2030, 0);
/** So short that an answer which is held back is late. */
const TIMEOUT_MS = 1;

/** A keeper of one of two slots; the monotonic clock is `clock.ms`, and the database's goes with it. */
function keep(change: (slots: SlotTable) => Partial<SlotTable> = () => ({})) {
  const clock = { ms: 0 };
  const rows = new SimulatedSlots({
    slots: 2,
    unitMs: 1,
    guards: ALL_GUARDS,
    now: () => DATABASE_MS + clock.ms,
    choose: ([first = 0]) => first,
  });
  const slots: SlotTable = {
    claim: async (owner) => rows.claim(owner),
    open: async (slot, owner, waitMs) => rows.open(slot, owner, waitMs),
    renew: async (slot, owner, until) => rows.renew(slot, owner, until),
    release: async (slot, owner) => rows.release(slot, owner),
  };
  const layout = layoutOf('41+10+12');
  let tokens = 0;
  const tenancy = new Tenancy({ newToken: () => `token ${++tokens}`, atOnce: true });
  const held = new HeldWindows(
    layout,
    () => BigInt(clock.ms) * 1_000_000n,
    () => {},
  );
  const events: SnowflakeEvent[] = [];
  const keeper = new Keeper({
    name: 'order',
    layout,
    table: { ...slots, ...change(slots) },
    tenancy,
    windows: held,
    demand: new Demand({ deadlineMs: 60_000, toId: String, expired: () => new Error('too slow') }),
    failure: new LastFailure(),
    now: () => clock.ms,
    releaseMs: TIMEOUT_MS,
    emit: (event) => events.push(event),
  });
  onTestFinished(() => keeper.stop());
  const isTold = (type: SnowflakeEvent['type']): Promise<boolean> =>
    vi.waitUntil(() => events.some((event) => event.type === type), { timeout: 60_000, interval: 1 });
  return { clock, rows, tenancy, held, events, keeper, isTold };
}

/** Holds back the first answer of `ask`, until `release`. */
function holdingFirst<Given extends unknown[], T>(ask: (...given: Given) => Promise<T>) {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let calls = 0;
  const holding = async (...given: Given): Promise<T> => {
    const first = calls++ === 0;
    const answer = await ask(...given);
    if (first) await released;
    return answer;
  };
  /** Lets the answer come, and whatever it sets off. */
  const answerLate = async (): Promise<void> => {
    release();
    await new Promise(setImmediate);
  };
  return { holding, answerLate };
}

describe('an answer that comes after its time limit', () => {
  it('to a claim gives no slot: the one of the claim that followed is kept, and given back', async () => {
    let answerLate = async (): Promise<void> => {};
    const { rows, tenancy, events, keeper, isTold } = keep(({ claim }) => {
      const first = holdingFirst(claim);
      ({ answerLate } = first);
      return { claim: first.holding };
    });
    await keeper.start();
    await isTold('window');
    await answerLate();
    expect(events.filter(({ type }) => type === 'claim')).toMatchObject([{ slot: 1 }]);
    expect(tenancy.next).toMatchObject({ do: 'renew', slot: 1 });
    await keeper.stop();
    expect(rows.backup()[1]).toMatchObject({ owner: undefined });
  });

  it('grants no window, since the slot may have been lost by then', async () => {
    let answerLate = async (): Promise<void> => {};
    const { clock, rows, tenancy, held, keeper, isTold } = keep(({ open }) => {
      const first = holdingFirst(open);
      ({ answerLate } = first);
      return { open: first.holding };
    });
    const before = rows.backup();
    tenancy.claimed(rows.claim(tenancy.next.token), clock.ms);
    // Granted, and nobody hears of it. Then the table goes back to before the claim.
    await keeper.start();
    rows.restore(before, true);
    await isTold('lapse');
    await answerLate();
    expect(held.remaining()).toBe(0);
  });
});

describe('an answer that takes long', () => {
  const TOOK_MS = 400;

  it('counts from when it was asked for: a window ends, and the next is asked for, no later', async () => {
    const { clock, tenancy, held, keeper, isTold } = keep(({ open }) => ({
      open: async (...given) => {
        const answer = await open(...given);
        clock.ms += TOOK_MS;
        return answer;
      },
    }));
    await keeper.start();
    await isTold('window');
    expect(clock.ms).toBe(TOOK_MS);
    expect(held.timeLeft()).toBe(2_000 - TOOK_MS);
    expect(tenancy.next).toMatchObject({ do: 'renew', at: 2_000 - AHEAD_MS + 50 });
  });

  it('to a claim leaves no more to wait for than if it had come at once', async () => {
    const { clock, tenancy, keeper, isTold } = keep(({ claim }) => ({
      claim: async (...given) => {
        const answer = await claim(...given);
        clock.ms += TOOK_MS;
        return { ...answer, blank: true };
      },
    }));
    await keeper.start();
    await isTold('claim');
    expect(tenancy.next).toMatchObject({ do: 'open', at: 3_000 });
  });
});

it('asks again before a window is over after the process stood still: the connection may be gone', async () => {
  const asked: (() => void)[] = [];
  const again = new Promise<string>((resolve) => asked.push(() => resolve('again')));
  const windowOver = new Promise<string>((resolve) =>
    asked.push(() => setTimeout(resolve, WINDOW_MS, 'the window is over')),
  );
  const { clock, keeper, isTold } = keep(() => ({
    renew: () => {
      asked.pop()?.();
      return new Promise(() => {});
    },
  }));
  await keeper.start();
  await isTold('window');
  clock.ms = 15_000;
  expect(await Promise.race([again, windowOver])).toBe('again');
});
