import { IdError } from '@ids/core';
import { describe, expect, it } from 'vitest';
import type { ControlCase, IdFormat, Subject } from '../src/cases/case.js';
import { closedLoop, runClosedLoops } from '../src/measure/loops.js';
import { Pacer, warmUp } from '../src/measure/pacing.js';
import { IDS_PER_CALL } from '../src/measure/sync-bursts.js';
import { measureSustained } from '../src/measure/take.js';
import { validate } from '../src/measure/validate.js';

const format: IdFormat = { idType: 'number', text: { pattern: /^\d+$/, maxLength: 3, sortable: false } };

describe('validate', () => {
  it.each([
    ['the wrong type', ['7'], '"7" is a string, number was promised'],
    ['a text that is too long', [1234], '1234 has 4 characters, at most 3 were promised'],
    ['a text of another form', [-1], '-1 does not match /^\\d+$/'],
  ])('names an id of %s', (_, ids, message) => {
    expect(() => validate(ids, 1, format)).toThrow(message);
  });

  it('finds a repeated id and a short answer', () => {
    expect(() => validate([1, 2, 1], 3, format)).toThrow('1 was issued twice within 3 ids');
    expect(() => validate([1, 2], 3, format)).toThrow('asked for 3 ids, got 2');
    expect(() => validate([1, 2, 3], 3, format)).not.toThrow();
  });
});

describe('warmUp', () => {
  it('goes on while blocks get cheaper and stops at the first that does not', async () => {
    const costs = [100, 80, 60, 59, 10];
    let blocks = 0;
    const block = async () => [costs[blocks++] ?? 0];
    expect(await warmUp(block, { minBlocks: 1, maxBlocks: 10 })).toBe(4);
    expect(blocks).toBe(4);
  });

  it('stops at its limit when it never settles', async () => {
    let blocks = 0;
    const block = async () => [2 ** -blocks++];
    expect(await warmUp(block, { minBlocks: 1, maxBlocks: 6 })).toBe(6);
  });
});

describe('Pacer', () => {
  it('keeps every second below the ceiling of the format', async () => {
    const ceiling = 4 * IDS_PER_CALL;
    const pacer = new Pacer(ceiling);
    const times: number[] = [];
    for (let call = 0; call < 5; call++) {
      await pacer.room(IDS_PER_CALL);
      times.push(performance.now());
    }
    const fifth = times[4] ?? 0;
    const within = times.filter((time) => fifth - time < 999).length;
    expect(within * IDS_PER_CALL).toBeLessThanOrEqual(ceiling);
  });

  it('never waits without a ceiling', async () => {
    const pacer = new Pacer(undefined);
    let turned = false;
    setImmediate(() => {
      turned = true;
    });
    for (let call = 0; call < 100; call++) await pacer.room(1e9);
    expect(turned).toBe(false);
  });
});

describe('measureSustained', () => {
  const refillMs = 5;

  /** Holds `full` ids at first, and fetches `fetched` at a time. */
  function buffered(full: number, fetched: number): Subject & { given(): number } {
    let [left, last] = [full, 0];
    return {
      nextSync() {
        if (left === 0) throw new IdError('ERR_IDS_NOT_READY', 'none left');
        left--;
        return ++last;
      },
      async ready() {
        await new Promise((resolve) => setTimeout(resolve, refillMs));
        left = fetched;
      },
      given: () => last,
      close: async () => {},
    };
  }

  it('leaves out the ids of a buffer that was full at the start, and counts every wait', async () => {
    // A timer may be a millisecond early.
    const most = (500 * 1_000) / (refillMs - 1);
    const rate = await measureSustained(buffered(20_000, 500), new Pacer(undefined), 30);
    expect(rate).toBeGreaterThan(0);
    expect(rate).toBeLessThanOrEqual(most);
  });

  it('measures a buffer that does not run empty for as long as it was asked', async () => {
    const subject = buffered(Number.POSITIVE_INFINITY, 0);
    const rate = await measureSustained(subject, new Pacer(undefined), 10);
    expect(rate).toBeGreaterThan(subject.given());
  });

  it('passes on a failure', async () => {
    const failing = {
      nextSync: () => {
        throw new IdError('ERR_IDS_CLOSED', 'closed');
      },
    };
    await expect(measureSustained(failing, new Pacer(undefined), 10)).rejects.toThrow('closed');
  });
});

describe('closedLoop', () => {
  it('counts what all callers got, however their calls overlap', async () => {
    let given = 0;
    const start = performance.now();
    const { idsPerSecond } = await closedLoop(8, 30, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      given += 3;
      return 3;
    });
    const most = (1_000 * given) / 30;
    const least = (1_000 * given) / (performance.now() - start);
    expect(idsPerSecond).toBeGreaterThanOrEqual(least);
    expect(idsPerSecond).toBeLessThanOrEqual(most);
  });
});

describe('runClosedLoops', () => {
  const request = {
    settings: [
      { concurrency: 4, batch: 1 },
      { concurrency: 2, batch: 10 },
    ],
    measureMs: 20,
  };
  const control: ControlCase = {
    kind: 'control',
    name: 'counter',
    backends: [],
    format: { idType: 'number', text: { pattern: /^\d+$/, maxLength: 16, sortable: false } },
    open: async () => counter(),
  };

  function counter(skip: (id: number) => number = (id) => id): Subject {
    let last = 0;
    const take = () => skip(++last);
    return {
      next: async () => take(),
      nextBatch: async (count) => Array.from({ length: count }, take),
      close: async () => {},
    };
  }

  it('counts ids, not calls, and orders its percentiles', async () => {
    const measures = await runClosedLoops(counter(), control, request);
    expect(measures).toHaveLength(request.settings.length);
    for (const { idsPerSecond, p50, p99 } of measures) {
      expect(idsPerSecond).toBeGreaterThan(0);
      expect(p50).toBeLessThanOrEqual(p99);
    }
  });

  it('rejects a generator that repeats itself, however fast it is', async () => {
    const repeating = counter((id) => Math.max(1, id - 20));
    await expect(runClosedLoops(repeating, control, request)).rejects.toThrow('issued twice');
  });
});
