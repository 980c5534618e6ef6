import { createGpidGenerator } from '@ids/gpid';
import { createObjectIdGenerator } from '@ids/objectid';
import { describe, expect, it } from 'vitest';
import { gpidAnatomy, objectIdAnatomy, sequenceAnatomy } from '../src/cases/anatomy.js';
import { timelineOf } from '../src/experiments/faults/run.js';
import { sampleOrder } from '../src/experiments/order/judge.js';
import { compareIds } from '../src/experiments/order/levels.js';
import { advise } from '../src/judge/advise.js';
import { renderHtml } from '../src/report/page.js';
import { birthdayBound } from '../src/report/uniqueness.js';
import { faultsFixture, resultFixture } from './support/result-fixture.js';

describe('the parts of an id', () => {
  it('make up the whole id, and tell what the strategy admits to disclose', async () => {
    await using objectIds = createObjectIdGenerator();
    await using gpids = createGpidGenerator({ port: 8_080, address: '10.0.0.7' });
    await using ipv6 = createGpidGenerator({ port: 8_081, address: '2001:db8::7' });
    for (const [generator, anatomyOf] of [
      [objectIds, objectIdAnatomy],
      [gpids, gpidAnatomy],
      [ipv6, gpidAnatomy],
    ] as const) {
      const id = generator.nextSync();
      const { parts } = anatomyOf(id);
      expect(parts.map(({ text }) => text).join('')).toBe(id);
      const told = new Set(parts.flatMap(({ tells }) => tells ?? []));
      expect([...told].sort()).toEqual([...generator.guarantees.discloses].sort());
    }
    expect(gpidAnatomy(ipv6.nextSync()).parts[0]?.text).toMatch(/2001:/);
    expect(sequenceAnatomy(48_001).parts).toMatchObject([{ text: '48001', tells: 'volume' }]);
  });

  it('are drawn to scale, with when they run out', () => {
    const page = renderHtml(resultFixture);
    expect(page).toContain('aria-label="Parts of an id of each strategy"');
    expect(page).toContain('<code>5a17b9d9</code>');
    expect(page).toContain('on 2106-02-07');
    const fast = { ...resultFixture, advice: [advise({ rate: 10_000_000 }, resultFixture.cases)] };
    expect(renderHtml(fast)).toContain('in the year 2054, at this rate of all processes');
  });
});

describe('the order diagram', () => {
  it('ranks the ids of all processes together and counts time from the first call', () => {
    const trace = (ids: number[], start: number) => ({
      ids,
      invoked: Float64Array.from(ids, (_, i) => (start + i) * 1e6),
      completed: Float64Array.from(ids, (_, i) => (start + i + 0.5) * 1e6),
    });
    const samples = sampleOrder([trace([10, 30], 5), trace([20, 5], 7)], compareIds({ sortable: false }));
    expect(samples).toEqual([
      { at: [0.5, 1.5], rank: [1, 3] },
      { at: [2.5, 3.5], rank: [2, 0] },
    ]);
  });

  it('draws at most 60 calls of each process, from all over the run', () => {
    const ids = Array.from({ length: 10_000 }, (_, i) => i);
    const times = Float64Array.from(ids, (i) => i * 1e6);
    const [sample] = sampleOrder(
      [{ ids, invoked: times, completed: times }],
      compareIds({ sortable: false }),
    );
    expect(sample?.rank).toHaveLength(60);
    expect(sample?.rank.at(-1)).toBeGreaterThan(9_500);
    expect(sample?.at).toEqual(sample?.rank);
  });

  it('has a colour for each process', () => {
    const page = renderHtml(resultFixture);
    expect(page).toContain('aria-label="Order of the ids of quick-ids"');
    expect(page.match(/<path class="dots dots-[01]"/g)).toHaveLength(2);
  });
});

describe('the outage timeline', () => {
  it('counts ids in bins of a quarter of a second from the first id on, and marks the harm', () => {
    expect(timelineOf([1_900, 1_000, 1_249, 1_250], { from: 1_240.4, to: 1_800 })).toEqual({
      binMs: 250,
      ids: [2, 1, 0, 1],
      struck: { fromMs: 240, toMs: 800 },
    });
    expect(timelineOf([], { from: 0, to: 1 })).toBeUndefined();
  });

  it('is drawn for each try, with one table behind all', () => {
    const page = renderHtml(faultsFixture);
    expect(page).toContain('aria-label="Ids of via-redis over time: Redis restarted from old data"');
    expect(page).toContain('<rect class="marked"');
    expect(page).toContain('Ids in each 250 ms');
  });
});

describe('the throughput charts', () => {
  it('have a line for the rate that is needed, and none where none was named', () => {
    expect(renderHtml(resultFixture)).toContain('your rate: 2 k/s');
    const unnamed = { ...resultFixture, advice: [advise({}, resultFixture.cases)] };
    expect(renderHtml(unnamed)).not.toContain('your rate');
    expect(renderHtml(unnamed)).not.toContain('class="mark"');
  });

  it('have room for a rate above all bars', () => {
    const rate = 400_000_000;
    const page = renderHtml({ ...resultFixture, advice: [advise({ rate }, resultFixture.cases)] });
    const [, at = ''] = page.match(/<line class="mark" x1="([\d.]+)"/) ?? [];
    // Where the plot ends.
    expect(Number(at)).toBeLessThanOrEqual(600);
  });
});

describe('the birthday bound', () => {
  it.each([
    [23, Math.log2(365), 0.5],
    [1_000, 40, 4.54e-7],
    [1_000_000, 40, 0.365],
    [1, 40, 0],
  ])('of %d draws of %d bits is about %d', (draws, bits, chance) => {
    expect(Math.abs(birthdayBound(draws, bits) - chance)).toBeLessThanOrEqual(chance * 0.01);
  });

  it('stands beside the ids that were compared, for what has random parts only', () => {
    const page = renderHtml(resultFixture);
    const table = page.slice(page.indexOf('Birthday bound of random parts'));
    expect(table.slice(0, table.indexOf('</table>'))).toContain('1 in 2,200,000');
    expect(table.slice(0, table.indexOf('</table>'))).not.toContain('via-redis');
  });
});
