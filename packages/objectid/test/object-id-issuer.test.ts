import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CounterPosition, localCells, SHARED_CELLS_BYTES, sharedCells } from '../src/counter-position.js';
import { randomlySeeded } from '../src/issuer.js';
import {
  cellsAt,
  counterOf,
  firstNotRising,
  issuerAt,
  onClock,
  SECOND,
  secondOf,
} from './support/issuer-at.js';

const ROOM = 2 ** 24;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('the ids of one second', () => {
  it('carry a counter that goes on from second to second', () => {
    const { clock, issuer } = issuerAt({ counter: 0xabcdef });
    const ids = [issuer.issue(1)];
    for (let i = 0; i < 5; i++) {
      clock.ms += 700;
      ids.push(...issuer.issueBatch(2, 1), issuer.issue(1));
    }
    expect(ids.map(counterOf)).toEqual(ids.map((_, index) => 0xabcdef + index));
    expect([secondOf(ids[0] ?? ''), secondOf(ids.at(-1) ?? '')]).toEqual([SECOND, SECOND + 3]);
  });

  it('change with the clock, at the first millisecond of the next one', () => {
    const { clock, issuer } = issuerAt();
    const secondAt = (ms: number): number => {
      clock.ms = ms;
      return secondOf(issuer.issue(1));
    };
    expect(secondAt(SECOND * 1_000)).toBe(SECOND);
    expect(secondAt(SECOND * 1_000 + 999)).toBe(SECOND);
    expect(secondAt(SECOND * 1_000 + 1_000)).toBe(SECOND + 1);
  });
});

describe('a clock that is set', () => {
  it.each([
    ['back by 1 s', [-1_000]],
    ['back by 1 h', [-HOUR]],
    ['forward by a day and back', [DAY, -DAY]],
    ['back and forth', [-HOUR, 2 * HOUR, -DAY, 1_000, DAY]],
  ])('%s never makes ids fall', (_, steps) => {
    const { clock, issuer } = issuerAt({ counter: ROOM - 6_000 });
    const ids = issuer.issueBatch(3, 10);
    for (const step of steps) {
      clock.ms += step;
      ids.push(issuer.issue(10), ...issuer.issueBatch(5_000, 10));
    }
    expect(firstNotRising(ids)).toBe(-1);
  });

  it('back by an hour leaves room to go on: an hour back is no hour of lead', () => {
    const { clock, issuer } = issuerAt({ counter: ROOM - 2 });
    issuer.issueBatch(2, 1);
    clock.ms -= HOUR;
    expect(secondOf(issuer.issue(1))).toBe(SECOND + 1);
  });

  it.each([-1, Number.NaN, 2 ** 32 * 1_000])('outside 1970 .. 2106 is refused: %d ms', (ms) => {
    const { clock, issuer } = issuerAt();
    clock.ms = ms;
    expect(() => issuer.issue(1)).toThrow(
      expect.objectContaining({ code: 'ERR_IDS_CLOCK', message: expect.stringContaining(String(ms)) }),
    );
    clock.ms = SECOND * 1_000;
    expect(counterOf(issuer.issue(1))).toBe(0);
  });

  it('to the last second of the format is served, and nothing after it', () => {
    const { clock, issuer } = issuerAt({ counter: ROOM - 1 });
    clock.ms = (2 ** 32 - 1) * 1_000;
    expect(issuer.issue(10)).toBe('ffffffffab102555b9ffffff');
    expect(() => issuer.issue(10)).toThrow(
      expect.objectContaining({ code: 'ERR_IDS_EXHAUSTED', message: 'objectid: the format ends in 2106' }),
    );
  });
});

describe('a batch', () => {
  it.each([0, 1, 2, 4_095, 4_096, 4_097, 10_000])('of %d ids has so many, and takes no more', (count) => {
    const { issuer } = issuerAt({ counter: 4_000 });
    expect(issuer.issueBatch(count, 1)).toHaveLength(count);
    expect(counterOf(issuer.issue(1))).toBe(4_000 + count);
  });
});

describe('a second that is used up', () => {
  it.each([1, 10])('borrows from later ones, at most %d s ahead of the clock', (maxLead) => {
    const { clock, issuer } = issuerAt({ counter: ROOM - 3, lead: maxLead });
    const ids = issuer.issueBatch(3, maxLead);
    expect(secondOf(ids.at(-1) ?? '')).toBe(SECOND + maxLead);
    const refused = {
      code: 'ERR_IDS_EXHAUSTED',
      message: expect.stringMatching(
        new RegExp(`more than ${maxLead} s ahead.* possible again from 2026-01-01T00:00:01.000Z$`),
      ),
    };
    expect(() => issuer.issue(maxLead)).toThrow(expect.objectContaining(refused));
    expect(() => issuer.issueBatch(1, maxLead)).toThrow(expect.objectContaining(refused));
    clock.ms += 999;
    expect(() => issuer.issue(maxLead)).toThrow(expect.objectContaining(refused));
    clock.ms += 1;
    expect(issuer.issue(maxLead)).toBe(`${(SECOND + 1 + maxLead).toString(16)}ab102555b9000000`);
  });

  it('is refused to a caller who allows less lead, though another borrowed it already', () => {
    const { clock, issuer } = issuerAt({ counter: 7, lead: 5 });
    const ids = [issuer.issue(10)];
    expect(() => issuer.issue(1)).toThrow(expect.objectContaining({ code: 'ERR_IDS_EXHAUSTED' }));
    ids.push(issuer.issue(10));
    clock.ms += 4_000;
    ids.push(issuer.issue(1), issuer.issue(10));
    expect(ids.map(counterOf)).toEqual([7, 8, 9, 10]);
    expect(firstNotRising(ids)).toBe(-1);
  });
});

const step = fc.record({
  issuer: fc.nat(2),
  // Mostly small steps, so that issuers meet in one second; sometimes as far as clocks are set.
  move: fc.oneof(fc.integer({ min: -500, max: 1_500 }), fc.constantFrom(0, -DAY, -HOUR, HOUR, DAY)),
  count: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constantFrom(4_095, 4_096, 4_097, 9_000)),
});

describe('a counter that moves to a new random value', () => {
  it('lies in the next second, also while the clock is set back', () => {
    const { clock, issuer, position } = issuerAt({ counter: ROOM - 5 });
    const last = issuer.issue(1);
    clock.ms -= DAY;
    const next = onClock(randomlySeeded(position), clock).issue(1);
    expect([secondOf(last), secondOf(next)]).toEqual([SECOND, SECOND + 1]);
  });
});

describe('a new issuer', () => {
  it('starts its counter anywhere in its range, so that two with one random part hardly meet', () => {
    const counters = Array.from({ length: 64 }, () => {
      const issuer = randomlySeeded(new CounterPosition(localCells()));
      return counterOf(onClock(issuer, { ms: SECOND * 1_000 }).issue(1));
    });
    // Each of these fails once in 2^60 runs.
    expect(new Set(counters).size).toBeGreaterThan(32);
    for (const bit of [0, 7, 8, 15, 16, 23]) {
      expect(new Set(counters.map((counter) => (counter >>> bit) & 1)).size).toBe(2);
    }
  });
});

describe('issuers that share a counter, each with a clock of its own', () => {
  it('never give an id twice, and each one rises', () => {
    const starts = fc.constantFrom(0, 4_090, ROOM - 4_097, ROOM - 1);
    fc.assert(
      fc.property(starts, fc.array(step, { minLength: 1, maxLength: 40 }), (counter, steps) => {
        const cells = cellsAt(0, counter, sharedCells(new SharedArrayBuffer(SHARED_CELLS_BYTES)));
        const issuers = [0, 1, 2].map(() => ({ ...issuerAt({ cells }), ids: [] as string[] }));
        for (const { issuer: index, move, count } of steps) {
          const { clock, issuer, ids } = issuers[index] ?? expect.unreachable();
          clock.ms += move;
          if (count === 1) ids.push(issuer.issue(10));
          else ids.push(...issuer.issueBatch(count, 10));
        }
        const all = issuers.flatMap(({ ids }) => ids);
        expect(new Set(all).size).toBe(all.length);
        for (const { ids } of issuers) expect(firstNotRising(ids)).toBe(-1);
      }),
    );
  });
});
