import { describe, expect, it } from 'vitest';
import { advise } from '../src/judge/advise.js';
import type { ServiceNeeds } from '../src/schema/advice.js';
import type { CaseResult, PlainGuarantees } from '../src/schema/case.js';
import type { BenchResult } from '../src/schema/run.js';
import { chosenCase } from './support/chosen-case.js';
import { renderHtml } from './support/render.js';
import { resultFixture } from './support/result-fixture.js';

/** The texts of a picture with their places; a character is at most 7 wide. */
function labelsOf(svg: string) {
  return [...svg.matchAll(/<text class="label" x="(\d+)" y="([\d.]+)">([^<]*)</g)].map(
    ([, x, y, text = '']) => ({ text, left: Number(x), end: Number(x) + text.length * 6.5, y: Number(y) }),
  );
}

describe('the picture of p99 against the rate', () => {
  const picture = (result: BenchResult) => {
    const page = renderHtml(result);
    const start = page.indexOf('<svg ');
    return start < 0 ? '' : page.slice(start, page.indexOf('</svg>', start));
  };
  const needing = (needs: ServiceNeeds, cases = resultFixture.cases) =>
    picture({ ...resultFixture, cases, advice: advise(needs, cases) });
  const count = (svg: string, part: string) => svg.split(part).length - 1;

  it('has a point for each load that was measured, and a name for each candidate', () => {
    const svg = picture(resultFixture);
    expect(labelsOf(svg).map(({ text }) => text)).toEqual(['via-redis', 'crypto.randomUUID', 'quick-ids']);
    expect(count(svg, 'class="dot"')).toBe(3);
    expect(count(svg, 'class="ring"')).toBe(2);
    expect(svg).toContain('class="candidate chosen"');
  });

  it('names both axes, each at its place', () => {
    const svg = picture(resultFixture);
    expect(svg).toMatch(/<text class="tick" x="0" y="12">p99 of a call</);
    expect(svg).toContain('>ids/s in one process<');
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

  it('keeps the names apart where all measured the same, however many there are', () => {
    const [first] = resultFixture.cases;
    const cases = Array.from({ length: 30 }, (_, i) => ({ ...first, name: `strategy-${i}` })) as CaseResult[];
    const labels = labelsOf(picture({ ...resultFixture, cases }));
    expect(labels).toHaveLength(30);
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
    const page = renderHtml({ ...resultFixture, advice: advise(needs, resultFixture.cases) });
    expect(rows(page)).toEqual([
      'via-redis',
      'quick-ids',
      'needs-redis-and-more',
      expect.stringContaining('what people already use'),
      'crypto.randomUUID',
      'postgres nextval',
    ]);
  });

  it.each([
    [{ gaps: 'on-restart', maxIdsLost: 0 }, 'nothing'],
    [{ gaps: 'on-restart', maxIdsLost: 50 }, 'up to 50<small>and when a process ends</small>'],
    [{ gaps: 'on-fault', maxIdsLost: 50 }, 'up to 50'],
    [{ gaps: 'on-fault' }, 'no bound'],
  ] as const)('calls a loss only what was set aside: of %o it says %s', (guarantees, loss) => {
    const { maxIdsLost: _, ...unbounded } = chosenCase('hex').guarantees as PlainGuarantees;
    const cases = [{ ...chosenCase('hex'), guarantees: { ...unbounded, ...guarantees } }];
    const page = renderHtml({ ...resultFixture, cases });
    expect(page).toContain(`<td>${loss}</td><td>text`);
  });

  it('says of ids that are unique within a process only that they were compared in one', () => {
    const { uniqueness } = resultFixture.cases[0] as CaseResult;
    const of = (unique: 'cluster' | 'process') =>
      renderHtml({ ...resultFixture, cases: [chosenCase('hex', { unique }, uniqueness && { uniqueness })] });
    expect(of('process')).toContain('0 of 10 M<small>in one process</small>');
    expect(of('cluster')).not.toContain('in one process</small>');
  });

  it('has no such heading without them', () => {
    const cases = resultFixture.cases.filter(({ kind }) => kind === 'strategy');
    expect(renderHtml({ ...resultFixture, cases })).not.toContain('what people already use');
  });
});
