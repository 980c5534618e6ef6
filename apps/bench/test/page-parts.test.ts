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
import type { ServiceNeeds } from '../src/schema/advice.js';
import type { CaseResult } from '../src/schema/case.js';
import type { BenchResult } from '../src/schema/run.js';
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
  it('counts ids in bins of a quarter of a second from the first id to the end, and marks the harm', () => {
    expect(timelineOf([1_900, 1_000, 1_249, 1_250], { from: 1_240.4, to: 1_800 }, { until: 2_100 })).toEqual({
      binMs: 250,
      ids: [2, 1, 0, 1, 0],
      struck: { fromMs: 240, toMs: 800 },
    });
    expect(timelineOf([], { from: 0, to: 1 }, { until: 2 })).toBeUndefined();
  });

  it('is drawn for each try, with one table behind all', () => {
    const page = renderHtml(faultsFixture);
    expect(page).toContain('aria-label="Ids of via-redis over time: Redis restarted from old data"');
    expect(page).toContain('<rect class="marked"');
    expect(page).toContain('Ids in each 250 ms');
  });
});

/** The texts of a picture with their places; a character is at most 7 wide. */
function labelsOf(svg: string) {
  return [...svg.matchAll(/<text class="label" x="(\d+)" y="([\d.]+)">([^<]*)</g)].map(
    ([, x, y, text = '']) => ({ text, left: Number(x), end: Number(x) + text.length * 6.5, y: Number(y) }),
  );
}

describe('the picture of p99 against the rate', () => {
  const picture = (result: BenchResult, size = 'wide') => {
    const page = renderHtml(result);
    const start = page.indexOf(`<svg class="${size}"`);
    return start < 0 ? '' : page.slice(start, page.indexOf('</svg>', start));
  };
  const needing = (needs: ServiceNeeds, cases = resultFixture.cases) =>
    picture({ ...resultFixture, cases, advice: [advise(needs, cases)] });
  const count = (svg: string, part: string) => svg.split(part).length - 1;

  it('has a point for each load that was measured, and a name for each candidate', () => {
    const svg = picture(resultFixture);
    expect(labelsOf(svg).map(({ text }) => text)).toEqual(['via-redis', 'UUID v4', 'quick-ids']);
    expect(count(svg, 'class="dot"')).toBe(3);
    expect(count(svg, 'class="ring"')).toBe(2);
    expect(svg).toContain('class="candidate chosen"');
  });

  it('names both axes, each at its place', () => {
    const svg = picture(resultFixture);
    expect(svg).toMatch(/<text class="tick" x="0" y="12">p99 of a call</);
    expect(svg).toContain('>ids/s in one process<');
    expect(renderHtml(faultsFixture)).toMatch(/<text class="tick" x="0" y="\d+">ids in 250 ms</);
  });

  it('has lines for what is needed, inside the plot, and none for what is not', () => {
    expect(picture(resultFixture)).toContain('your rate: 2 k/s');
    expect(picture(resultFixture)).not.toContain('your p99');
    expect(needing({})).not.toContain('class="mark"');
    for (const rate of [1, 400_000_000]) {
      const svg = needing({ rate, p99Ms: 20_000 });
      expect(svg).toContain('your p99: 20 s');
      const places = (pattern: RegExp) => [...svg.matchAll(pattern)].map(([, place]) => Number(place));
      const [across = [], up = []] = [
        places(/class="grid" x1="(\d+)" x2="\1"/g),
        places(/class="grid" x1="\d+" x2="\d+" y1="(\d+)" y2="\1"/g),
      ];
      const [x = 0] = places(/class="mark" x1="(\d+)" x2="\1"/g);
      const [y = 0] = places(/class="mark" x1="\d+" x2="\d+" y1="(\d+)" y2="\1"/g);
      expect(x).toBeGreaterThanOrEqual(Math.min(...across));
      expect(x).toBeLessThanOrEqual(Math.max(...across));
      expect(y).toBeGreaterThanOrEqual(Math.min(...up));
      expect(y).toBeLessThanOrEqual(Math.max(...up));
    }
  });

  it.each(['wide', 'narrow'])('keeps the names apart where all measured the same, when it is %s', (size) => {
    const [first] = resultFixture.cases;
    const cases = Array.from({ length: 9 }, (_, i) => ({ ...first, name: `strategy-${i}` })) as CaseResult[];
    const labels = labelsOf(picture({ ...resultFixture, cases }, size));
    expect(labels).toHaveLength(9);
    for (const [i, one] of labels.entries()) {
      for (const other of labels.slice(i + 1)) {
        expect(Math.abs(one.y - other.y) >= 12 || one.end < other.left || other.end < one.left).toBe(true);
      }
    }
  });

  it('is left out where nothing was measured', () => {
    const [skipped] = resultFixture.cases.filter(({ status }) => status === 'skipped');
    expect(picture({ ...resultFixture, cases: skipped ? [skipped] : [] })).toBe('');
  });
});

describe('the decision table', () => {
  const rows = (page: string) => {
    const table = page.slice(page.indexOf('<h2>Decision table'));
    const body = table.slice(0, table.indexOf('</table>'));
    return [...body.matchAll(/<th [^>]*scope="(?:row|rowgroup)"[^>]*>(?:<span>)?([^<]*)/g)].map(
      ([, name]) => name,
    );
  };

  it('has the strategies best first, then what people already use, under a heading of its own', () => {
    const needs = { order: { cluster: 'real-time' } } as const;
    const page = renderHtml({ ...resultFixture, advice: [advise(needs, resultFixture.cases)] });
    expect(rows(page)).toEqual([
      'via-redis',
      'quick-ids',
      'needs-redis-and-more',
      expect.stringContaining('what people already use'),
      'UUID v4',
      'bigserial',
    ]);
  });

  it('has no such heading without them', () => {
    const cases = resultFixture.cases.filter(({ kind }) => kind === 'strategy');
    expect(renderHtml({ ...resultFixture, cases })).not.toContain('what people already use');
  });
});

describe('what running the servers costs', () => {
  it('is said of those that a strategy of the run needs', () => {
    expect(renderHtml(resultFixture)).toContain('via-redis: 310 µs');
    const offline = resultFixture.cases.filter(({ name }) => name === 'quick-ids');
    expect(renderHtml({ ...resultFixture, cases: offline })).not.toContain('running the servers');
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
