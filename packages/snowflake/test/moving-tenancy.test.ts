import { expect, it } from 'vitest';
import { LEAVING_MS, REACH_MS, WINDOW_MS } from '../src/windows/lengths.js';
import { MovingTenancy } from '../src/windows/moving-tenancy.js';

/** What the database's clock shows when the monotonic one shows 0. */
const NOW = 50_000;
/** How long before a window begins it is asked for. */
const EARLY_MS = 950;
/** The slot that the former server assigned, and the one that its successor has for it. */
const [SLOT, OTHER] = [5, 40];

/** Hears of a window that begins when the monotonic clock shows `at`. Returns what is used of it. */
function hear(tenancy: MovingTenancy, slot: number, at: number, reign: string | undefined) {
  const from = NOW + at;
  const now = from - EARLY_MS;
  const answer = { window: { slot, from, until: from + WINDOW_MS }, now, stoodAt: from, reign };
  const window = tenancy.answered(answer, at - EARLY_MS);
  return window && { at: window.from - NOW, until: window.until - NOW };
}

/** With a slot of `reign`, and a window up to 2,000. */
function settled(reign: string | undefined): MovingTenancy {
  const tenancy = new MovingTenancy({ newToken: () => 'token', atOnce: true });
  tenancy.claimed({ slot: SLOT, now: NOW, reign }, 0);
  hear(tenancy, SLOT, 0, reign);
  return tenancy;
}

/** The same, after the window up to 4,000 was granted by the successor. */
function moving(): MovingTenancy {
  const tenancy = settled('former');
  hear(tenancy, SLOT, 2_000, 'latter');
  expect(tenancy).toMatchObject({ next: { do: 'claim', undoubted: true }, toRelease: undefined });
  return tenancy;
}

/** The same, with a slot that the successor assigned, whose first window comes at 4,050. */
function claimed(): MovingTenancy {
  const tenancy = moving();
  tenancy.claimed({ slot: OTHER, now: NOW, newReign: 'failover', reign: 'latter' }, 1_050);
  return tenancy;
}

it.each([
  ['former', 'former'],
  [undefined, 'latter'],
  ['former', undefined],
])('a slot of the reign %s with a window of %s is kept', (of, reign) => {
  const tenancy = settled(of);
  expect(hear(tenancy, SLOT, 2_000, reign)).toEqual({ at: 2_000, until: 4_000 });
  expect(tenancy).toMatchObject({ next: { do: 'renew' }, toRelease: { slot: SLOT } });
});

it('a slot of another reign is renewed once more while the next one is waited for', () => {
  const tenancy = claimed();
  expect(tenancy.next).toMatchObject({ do: 'renew', slot: SLOT, until: NOW + 4_000 });
  expect(hear(tenancy, SLOT, 4_000, 'latter')).toEqual({ at: 4_000, until: 2_000 + LEAVING_MS });
  expect(tenancy.next).toMatchObject({ do: 'open', at: 1_050 + REACH_MS, slot: OTHER });
  expect(hear(tenancy, OTHER, 4_050, 'latter')).toEqual({ at: 4_050, until: 6_050 });
  expect(tenancy).toMatchObject({ next: { do: 'renew' }, toRelease: { slot: OTHER } });
});

it('nothing is used of it after the time for which the former server keeps it', () => {
  const tenancy = claimed();
  expect(hear(tenancy, SLOT, 4_600, 'latter')).toEqual({ at: 4_600, until: 2_000 + LEAVING_MS });
  expect(tenancy.next).toMatchObject({ do: 'open', slot: OTHER });
});

it('it is kept if the other server has none that is certainly free until then', () => {
  const tenancy = moving();
  tenancy.claimed({ now: NOW, slots: 64, holders: [] }, 1_050);
  expect(tenancy.next).toMatchObject({ do: 'claim', at: 1_300, undoubted: true });
  tenancy.claimed({ now: NOW, slots: 64, holders: [] }, 3_049);
  for (const at of [4_000, 6_000, 8_000]) {
    expect(hear(tenancy, SLOT, at, 'latter')).toEqual({ at, until: at + WINDOW_MS });
    expect(tenancy.next).toMatchObject({ do: 'renew', slot: SLOT });
  }
});

it('whoever loses it waits for the next one, and claims any if that is lost, too', () => {
  const tenancy = claimed();
  const lost = { refusal: 'lost', againMs: 0, now: NOW } as const;
  tenancy.answered(lost, 3_050);
  expect(tenancy.next).toMatchObject({ do: 'open', slot: OTHER });
  tenancy.answered(lost, 4_050);
  expect(tenancy.next).toEqual({ do: 'claim', at: 4_050, token: 'token' });
});

it('no first window of another reign than that of the claim is used', () => {
  const tenancy = new MovingTenancy({ newToken: () => 'token', atOnce: true });
  tenancy.claimed({ slot: SLOT, now: NOW, reign: 'former' }, 0);
  expect(hear(tenancy, SLOT, 0, 'latter')).toBeUndefined();
  expect(tenancy.next).toMatchObject({ do: 'claim' });
});
