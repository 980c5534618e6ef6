import { describe, expect, it } from 'vitest';
import { AHEAD_MS, REACH_MS } from '../src/windows/lengths.js';
import type { Refusal } from '../src/windows/slot-table.js';
import { Tenancy } from '../src/windows/tenancy.js';

const SLOT = 5;
/** What the database's clock shows when the monotonic one shows 1,000. */
const NOW = 50_000;
const WINDOW = { slot: SLOT, from: NOW, until: NOW + 2_000 };

function start(atOnce = false): Tenancy {
  let tokens = 0;
  return new Tenancy({ newToken: () => `token ${++tokens}`, atOnce });
}

/** With a claim that was asked for at 1,000. */
function claimed(atOnce: boolean, found: { newReign?: 'failover' | 'restore'; blank?: boolean } = {}) {
  const tenancy = start(atOnce);
  const waitMs = tenancy.claimed({ slot: SLOT, now: NOW, ...found }, 1_000);
  return { tenancy, waitMs };
}

function granted(): Tenancy {
  const { tenancy } = claimed(true);
  tenancy.answered({ window: WINDOW, now: NOW, stoodAt: 0 }, 1_000);
  return tenancy;
}

describe('a claim', () => {
  it('is the first step, at once, with nothing to give back', () => {
    const tenancy = start();
    expect(tenancy.next).toEqual({ do: 'claim', at: Number.NEGATIVE_INFINITY, token: 'token 1' });
    expect(tenancy.toRelease).toBeUndefined();
  });

  it('is repeated a quarter of a second later if all slots are held, with another token', () => {
    const tenancy = start(true);
    expect(tenancy.claimed({ now: NOW, slots: 64, holders: [] }, 1_000)).toBe(0);
    expect(tenancy.next).toEqual({ do: 'claim', at: 1_250, token: 'token 2' });
  });

  it('is repeated with another token if no answer comes', () => {
    const tenancy = start();
    tenancy.unanswered(1_700);
    expect(tenancy.next).toEqual({ do: 'claim', at: 1_700, token: 'token 2' });
  });

  it.each([
    [false, {}, REACH_MS],
    [true, {}, 0],
    [true, { blank: false }, 0],
    [true, { blank: true }, REACH_MS],
    [true, { newReign: 'restore' }, REACH_MS],
    [true, { newReign: 'failover' }, REACH_MS],
  ] as const)(
    'at once: %s, of a row with %j, waits %d ms for its first window',
    (atOnce, found, expected) => {
      const { tenancy, waitMs } = claimed(atOnce, found);
      expect(waitMs).toBe(expected);
      expect(tenancy.next).toEqual({
        do: 'open',
        at: 1_000 + expected,
        token: 'token 1',
        slot: SLOT,
        waitMs: expected,
      });
    },
  );

  it.each([
    [{}, true],
    [{ blank: true }, false],
    [{ newReign: 'restore' }, false],
  ] as const)('of a row with %j is given back before its window: %s', (found, expected) => {
    const { toRelease } = claimed(true, found).tenancy;
    expect(toRelease).toEqual(
      expected ? expect.objectContaining({ slot: SLOT, token: 'token 1' }) : undefined,
    );
  });

  it('that noticed a change is given back once it has a window', () => {
    const { tenancy } = claimed(true, { newReign: 'restore' });
    tenancy.answered({ window: WINDOW, now: NOW, stoodAt: 0 }, 4_000);
    expect(tenancy.toRelease).toMatchObject({ slot: SLOT, token: 'token 1' });
  });
});

describe('a window', () => {
  it('is renewed a moment after the next one may begin, as the database counts', () => {
    const { next: step } = granted();
    const at = 1_000 + (WINDOW.until - AHEAD_MS - NOW) + 50;
    expect(step).toEqual({ do: 'renew', at, token: 'token 1', slot: SLOT, until: WINDOW.until });
  });

  it('is asked for again, by the same owner, if no answer comes', () => {
    const tenancy = granted();
    const { next: step } = tenancy;
    tenancy.unanswered(2_345);
    expect(tenancy.next).toEqual({ ...step, at: 2_345 });
  });

  it.each([
    ['early', 400, 1_400],
    ['ahead', 400, 1_400],
    ['ahead', 0, 1_001],
    ['ahead', 3_600_000, 2_000],
  ] as const)('that is refused as %s for %d ms is asked for again at %d', (refusal, againMs, at) => {
    const tenancy = granted();
    const { next: step } = tenancy;
    tenancy.answered({ refusal, againMs, now: NOW }, 1_000);
    expect(tenancy.next).toEqual({ ...step, at });
  });

  it.each(['lapsed', 'lost'] satisfies Refusal[])('that is refused as %s ends the tenancy', (refusal) => {
    const tenancy = granted();
    tenancy.answered({ refusal, againMs: 0, now: NOW }, 1_000);
    expect(tenancy.next).toEqual({ do: 'claim', at: 1_000, token: 'token 2' });
    expect(tenancy.toRelease).toBeUndefined();
  });
});
