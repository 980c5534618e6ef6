import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Uuid7Issuer } from '../src/issuer.js';
import { parseUuid7, uuid7FromBytes } from '../src/parse.js';
import { counterOf, firstNotRising, issuerAt, MS, msOf, ROOM } from './support/ids.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

afterEach(() => void vi.unstubAllGlobals());

/** Draws `words` over and over, in place of random numbers. */
function drawOnly(...words: number[]): void {
  const getRandomValues = (drawn: Uint32Array) => drawn.map((_, index) => words[index % words.length] ?? 0);
  const fill = (drawn: Uint32Array) => {
    drawn.set(getRandomValues(drawn));
    return drawn;
  };
  vi.stubGlobal('crypto', { getRandomValues: fill });
}

describe('an id', () => {
  it('has the bits of RFC 9562 in their places: time, 12 and 30 bits of counter, 32 random bits', () => {
    drawOnly(0xfedc_ba98);
    const { issue, issueBytes } = issuerAt({ counter: 0b101010111100_011101011110001001101010111100 });
    // 0b101010111100 is abc; 30 bits after the two of the variant, 10, are 9d789abc.
    expect(issue()).toBe('019b76da-a800-7abc-9d78-9abcfedcba98');
    expect(uuid7FromBytes(issueBytes())).toBe('019b76da-a800-7abc-9d78-9abdfedcba98');
  });

  it('has all ones in each part where they are the highest', () => {
    drawOnly(0xffff_ffff);
    const issuer = new Uuid7Issuer({ ms: 2 ** 48 - 1, counter: ROOM - 2 });
    expect(issuer.issue(2 ** 48 - 1)).toBe('ffffffff-ffff-7fff-bfff-fffeffffffff');
    expect([...issuer.issueBytes(2 ** 48 - 1)]).toEqual(
      [...'ffffffffffff7fffbfffffffffffffff'.matchAll(/../g)].map(([byte]) => Number.parseInt(byte, 16)),
    );
  });

  it('is the same as text and as bytes, whatever its place', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 48 - 1), fc.maxSafeNat(), fc.nat(2 ** 32 - 1), (ms, counter, word) => {
        drawOnly(word);
        const at = { ms, counter: counter % ROOM };
        const id = new Uuid7Issuer(at).issue(ms);
        expect(parseUuid7(id)).toMatchObject({ ...at, uuid: id, random: word });
        expect(uuid7FromBytes(new Uuid7Issuer(at).issueBytes(ms))).toBe(id);
      }),
    );
  });
});

describe('the ids of one millisecond', () => {
  it('have a counter that rises by one, by whichever call', () => {
    const { issue, issueBytes, issueBatch } = issuerAt({ counter: 0xfffe });
    const ids = [issue(), uuid7FromBytes(issueBytes()), ...issueBatch(3), issue()];
    expect(ids.map(counterOf)).toEqual(ids.map((_, index) => 0xfffe + index));
    expect(new Set(ids.map(msOf))).toEqual(new Set([MS]));
  });

  it('rise without a repeat, a million of them and more, also where they carry into rand_a', () => {
    const { issueBatch } = issuerAt({ counter: 2 ** 30 - 500_000 });
    const ids = issueBatch(1_100_000);
    expect(firstNotRising(ids)).toBe(-1);
    expect(msOf(ids.at(-1) ?? '')).toBe(MS);
    expect(counterOf(ids.at(-1) ?? '')).toBe(2 ** 30 + 599_999);
  });

  it('have 32 random bits each, no two alike but by chance', () => {
    const { issueBatch } = issuerAt();
    const words = issueBatch(4_096).map((id) => parseUuid7(id).random);
    // Three that are alike among 4,096: once in 10^9 runs; the pool is drawn four times meanwhile.
    expect(new Set(words).size).toBeGreaterThan(4_093);
    for (let bit = 0; bit < 32; bit++) {
      const set = words.filter((word) => (word >>> bit) & 1).length;
      // Eight standard deviations.
      expect(Math.abs(set - 2_048)).toBeLessThan(256);
    }
  });
});

describe('the counter', () => {
  it('starts at random in each millisecond, in the lower half of its range', () => {
    const { clock, issue } = issuerAt();
    const starts = Array.from({ length: 128 }, () => {
      clock.ms++;
      return counterOf(issue());
    });
    expect(new Set(starts).size).toBe(128);
    expect(Math.max(...starts)).toBeLessThan(ROOM / 2);
    for (let bit = 0; bit < 41; bit++) {
      // Fails once in 2^127 runs.
      expect(new Set(starts.map((start) => Math.floor(start / 2 ** bit) % 2)).size).toBe(2);
    }
  });

  it('starts at the highest place of that half at the most, which leaves room for 2^41 ids', () => {
    drawOnly(0xffff_ffff);
    const { clock, issue } = issuerAt();
    clock.ms++;
    expect(counterOf(issue())).toBe(ROOM / 2 - 1);
    expect(counterOf(issue())).toBe(ROOM / 2);
  });
});

describe('a clock that is set', () => {
  it('dates each id, at the first id of each millisecond', () => {
    const { clock, issue } = issuerAt();
    const dated = [0, 1, 1, 2, 1_000, DAY].map((after) => {
      clock.ms = MS + after;
      return msOf(issue()) - MS;
    });
    expect(dated).toEqual([0, 1, 1, 2, 1_000, DAY]);
  });

  it.each([
    ['back by 1 ms', [-1]],
    ['back by 1 h', [-HOUR]],
    ['forward by a day and back', [DAY, -DAY]],
    ['back and forth', [-HOUR, 2 * HOUR, -DAY, 1, DAY]],
    ['by parts of a millisecond', [0.5, 0.25, -0.5, 0.75]],
  ])('%s never makes ids fall', (_, steps) => {
    const { clock, issue, issueBatch } = issuerAt({ counter: 2 ** 16 - 2_000 });
    const ids = issueBatch(3);
    for (const step of steps) {
      clock.ms += step;
      ids.push(issue(), ...issueBatch(1_500));
    }
    expect(firstNotRising(ids)).toBe(-1);
  });

  it('back by an hour leaves ids at the millisecond they had reached, until the clock is there again', () => {
    const { clock, issue } = issuerAt();
    const dated = [0, -HOUR, -1, 0, 1].map((after) => {
      clock.ms = MS + after;
      return msOf(issue()) - MS;
    });
    expect(dated).toEqual([0, 0, 0, 0, 1]);
  });

  it.each([-1, Number.NaN, 2 ** 48])('outside 1970 .. 10889 is refused: %d ms', (ms) => {
    const { clock, issue, issueBytes, issueBatch } = issuerAt();
    clock.ms = ms;
    for (const call of [issue, issueBytes, () => issueBatch(1)]) {
      expect(call).toThrow(
        expect.objectContaining({ code: 'ERR_IDS_CLOCK', message: expect.stringContaining(String(ms)) }),
      );
    }
    clock.ms = MS;
    expect(counterOf(issue())).toBe(0);
  });

  it('to the last millisecond of the format is served, and nothing after it', () => {
    const last = 2 ** 48 - 1;
    const issuer = new Uuid7Issuer({ ms: last, counter: ROOM - 1 });
    expect(msOf(issuer.issue(last))).toBe(last);
    expect(() => issuer.issue(last)).toThrow(
      expect.objectContaining({ code: 'ERR_IDS_EXHAUSTED', message: 'uuid7: the format ends in 10889' }),
    );
  });

  it('to the last millisecond of the format is served with a random start too', () => {
    expect(msOf(new Uuid7Issuer().issue(2 ** 48 - 1))).toBe(2 ** 48 - 1);
  });

  it.each([
    [1, 1],
    [1_024, 1],
    [1_025, 2],
    [2_048, 2],
    [2_049, 3],
  ])('is read for every 1,024 ids of a batch: for %d ids %d times', (count, reads) => {
    const clock = vi.fn(() => MS);
    expect(new Uuid7Issuer({ ms: MS, counter: 0 }).issueBatch(count, clock)).toHaveLength(count);
    expect(clock).toHaveBeenCalledTimes(reads);
  });

  it('to 1970 is served', () => {
    expect(msOf(new Uuid7Issuer().issue(0))).toBe(0);
  });
});

describe('a counter that is used up', () => {
  it('borrows the next millisecond, with a new random start', () => {
    const { issue, issueBatch } = issuerAt({ counter: ROOM - 3 });
    const ids = [...issueBatch(5), issue()];
    expect(ids.map((id) => msOf(id) - MS)).toEqual([0, 0, 0, 1, 1, 1]);
    expect(firstNotRising(ids)).toBe(-1);
    expect(counterOf(ids[3] ?? '')).toBeLessThan(ROOM / 2);
  });

  it('borrows at most 10 ms; then calls are refused until the clock has moved on', () => {
    const { clock, issue, issueBytes, issueBatch } = issuerAt({ counter: ROOM - 2, lead: 10 });
    const before = issueBatch(2);
    const refused = {
      code: 'ERR_IDS_EXHAUSTED',
      message:
        'uuid7: the next id would be more than 10 ms ahead of the clock; possible again from 2026-01-01T00:00:00.001Z',
    };
    for (const call of [issue, issueBytes, () => issueBatch(1), issue]) {
      expect(call).toThrow(expect.objectContaining(refused));
    }
    clock.ms += 1;
    const after = issue();
    expect(msOf(after) - MS).toBe(11);
    expect(firstNotRising([...before, after])).toBe(-1);
  });

  it('is no lead where the clock was set back', () => {
    const { clock, issue } = issuerAt({ counter: ROOM - 2 });
    const first = issue();
    clock.ms -= HOUR;
    const ids = [first, issue(), issue()];
    expect(ids.map((id) => msOf(id) - MS)).toEqual([0, 0, 1]);
  });

  it('gives way to the time of the clock where that is later', () => {
    const { clock, issue } = issuerAt({ counter: ROOM - 1 });
    issue();
    clock.ms += 5;
    expect(msOf(issue())).toBe(MS + 5);
  });
});

describe('a reset', () => {
  it('drops what was drawn and starts the counter anew, in the next millisecond', () => {
    drawOnly(1);
    const { issue, reset } = issuerAt({ counter: 7 });
    const first = issue();
    drawOnly(0x0203_0405);
    reset();
    const second = issue();
    expect(parseUuid7(second)).toMatchObject({
      ms: MS + 1,
      counter: (0x0203_0405 % 2 ** 25) * 2 ** 16 + 0x0405,
      random: 0x0203_0405,
    });
    expect(second > first).toBe(true);
  });

  it('may be repeated: ids move on by one millisecond for all resets between two of them', () => {
    const { clock, issue, reset } = issuerAt();
    issue();
    for (let count = 0; count < 100; count++) reset();
    expect(msOf(issue())).toBe(MS + 1);
    reset();
    clock.ms += 1_000;
    expect(msOf(issue())).toBe(MS + 1_000);
  });

  it('before the first id changes nothing', () => {
    const issuer = new Uuid7Issuer();
    issuer.reset();
    expect(msOf(issuer.issue(MS))).toBe(MS);
  });
});

describe('random bits that cannot be drawn', () => {
  it('fail the call, which takes no place, and the next call draws them', () => {
    const { clock, issue, issueBytes } = issuerAt({ counter: 7 });
    const failure = new Error('no entropy');
    vi.stubGlobal('crypto', {
      getRandomValues: () => {
        throw failure;
      },
    });
    for (const call of [issue, issueBytes, issue]) expect(call).toThrow(failure);
    clock.ms++;
    expect(issue).toThrow(failure);
    clock.ms--;
    vi.unstubAllGlobals();
    expect(counterOf(issue())).toBe(7);
  });
});

const step = fc.record({
  // Mostly small steps; sometimes as far as clocks are set.
  move: fc.oneof(fc.integer({ min: -3, max: 5 }), fc.constantFrom(0, -DAY, -HOUR, HOUR, DAY)),
  count: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constantFrom(1_023, 1_024, 1_025, 3_000)),
  reset: fc.boolean(),
});

describe('ids', () => {
  it('always rise, whatever the clock does and however they are asked for', () => {
    const starts = fc.constantFrom(0, 2 ** 16 - 1_025, 2 ** 30 - 1, ROOM / 2 - 1, ROOM - 1_025, ROOM - 1);
    fc.assert(
      fc.property(starts, fc.array(step, { minLength: 1, maxLength: 40 }), (counter, steps) => {
        const { clock, issue, issueBytes, issueBatch, reset } = issuerAt({ counter });
        const ids: string[] = [];
        for (const { move, count, reset: resets } of steps) {
          clock.ms += move;
          if (resets && ids.length % 5 === 0) reset();
          try {
            if (count === 1) ids.push(issue(), uuid7FromBytes(issueBytes()));
            else ids.push(...issueBatch(count));
          } catch (error) {
            expect(error).toMatchObject({ code: 'ERR_IDS_EXHAUSTED' });
          }
        }
        expect(firstNotRising(ids)).toBe(-1);
      }),
    );
  });
});
