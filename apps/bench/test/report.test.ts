import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { advise } from '../src/judge/advise.js';
import { nanoseconds, quantity } from '../src/judge/words.js';
import { toJson } from '../src/report/files.js';
import { reportOf } from '../src/report/sections.js';
import { renderTerminal } from '../src/report/terminal.js';
import type { BenchResult } from '../src/schema/run.js';
import { atRateOf } from './support/chosen-case.js';
import { renderHtml } from './support/render.js';
import { resultFixture } from './support/result-fixture.js';

const paths = { html: 'bench-report/index.html', json: 'bench-report/result.json' };
const terminal = (result: BenchResult, isTTY = false) =>
  renderTerminal(result, reportOf(result), paths, { isTTY });
const [measured, ...others] = resultFixture.cases;

describe('the page', () => {
  it('shows the same from the file as from the run', () => {
    expect(renderHtml(JSON.parse(toJson(resultFixture)))).toBe(renderHtml(resultFixture));
  });

  it('asks for nothing from outside', () => {
    const page = renderHtml(resultFixture);
    expect(page).not.toMatch(/<script [^>]|<link|<img|<iframe|\bsrc=|\bhref="[^#]|url\(|@import|https?:/i);
    expect(page.length).toBeLessThan(300_000);
  });

  it('says what was measured, what was skipped and why, what was claimed and what was seen', () => {
    const page = renderHtml(resultFixture);
    for (const text of [
      '61.3 M',
      '2.10x (2.00-2.20)',
      '10,000,000',
      'by time, within 981 ms<small>promised: within 1 s',
    ]) {
      expect(page).toContain(text);
    }
    expect(page).toContain('no redis-server: install it with &quot;apt-get install redis-server&quot;');
    expect(page).toContain('process 1 had b at 1.000 ms');
  });

  it('says whether the figures include a network', () => {
    expect(renderHtml(resultFixture)).toContain('so the figures include no network');
    const environment = { ...resultFixture.environment, byUrl: ['redis', 'sql'] as const };
    const page = renderHtml({ ...resultFixture, environment });
    expect(page).toContain('The figures include the network to the servers in REDIS_URL and DATABASE_URL.');
    expect(page).not.toContain('include no network');
  });

  it('puts a table with the figures behind every chart', () => {
    const page = renderHtml(resultFixture);
    expect(page.match(/<svg/g)).toHaveLength(1);
    expect(page).toContain('Bursts of 1,000 calls of nextSync');
    expect(page).toContain('Closed loops: each caller calls again');
  });

  it('escapes whatever text comes from a run', () => {
    const hostile = `<img src=x onerror="alert('1')">&`;
    const result = {
      ...resultFixture,
      problems: [hostile],
      environment: { ...resultFixture.environment, cpu: hostile },
      cases: [
        ...others,
        {
          ...measured,
          name: hostile,
          reason: hostile,
          uniqueness: {
            ...measured?.uniqueness,
            examples: [{ id: hostile, first: { process: 0, index: 1 }, again: { process: 1, index: 2 } }],
          },
          order: { ...measured?.order, counterExample: hostile },
        },
      ],
    } as BenchResult;
    const page = renderHtml(result);
    expect(page).not.toContain('<img');
    // Within the script it stands in a string of JSON, where only the end of the script could do harm.
    expect(page.replace(/<script>.*<\/script>/s, '')).not.toContain('"alert');
    expect(
      page.split('&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;').length,
    ).toBeGreaterThan(7);
  });

  it('says so when the run was stopped or something was wrong', () => {
    const page = renderHtml({ ...resultFixture, incomplete: true, problems: ['quick-ids: 1 duplicate'] });
    expect(page).toContain('The run was stopped');
    expect(page).toContain('<li>quick-ids: 1 duplicate</li>');
  });

  it('says so when the machine was too busy for figures', () => {
    const busy = { ...resultFixture, notComparable: 'load 3.1 on 2 cores' };
    expect(renderHtml(busy)).toContain('NOT COMPARABLE: load 3.1 on 2 cores');
    expect(terminal(busy)).toContain('NOT COMPARABLE: load 3.1 on 2 cores');
  });

  it('can be drawn for a run that was stopped before it measured anything', () => {
    const cases = resultFixture.cases.map(
      ({ sync: _s, loops: _l, openLoops: _p, order: _o, uniqueness: _u, ...rest }) => rest,
    );
    const page = renderHtml({ ...resultFixture, incomplete: true, cases });
    expect(page.replace(/<script>.*<\/script>/s, '')).not.toMatch(/NaN|undefined|Infinity/);
  });
});

describe('the terminal', () => {
  it('stays within 80 columns', () => {
    const text = terminal({ ...resultFixture, problems: ['quick-ids: '.padEnd(300, 'word ')] });
    const widest = Math.max(...text.split('\n').map((line) => line.length));
    expect(widest).toBeLessThanOrEqual(80);
  });

  it('is plain where it is not a terminal, and in colour where it is', () => {
    expect(terminal(resultFixture)).toBe(stripVTControlCharacters(terminal(resultFixture)));
    expect(terminal(resultFixture, true)).not.toBe(terminal(resultFixture));
  });

  it('names what was skipped, and why', () => {
    const text = terminal(resultFixture).replace(/\s+/g, ' ');
    expect(text).toMatch(/¹ skipped: no redis-server: install it/);
  });

  it('shows no more ids per second than a format allows', () => {
    expect(terminal(resultFixture)).toMatch(/^quick-ids +yes +16\.8 M /m);
    expect(terminal(resultFixture)).toContain('(limit of its');
  });

  it('compares all at the rate that is needed, where that was measured', () => {
    const cases = [measured, ...others].map((one) => ({ ...one, atRate: atRateOf(2_000, { p99: 3 }) }));
    const text = terminal({ ...resultFixture, cases } as BenchResult);
    expect(text).toMatch(/^strategy .* p99 at 2 k /m);
    expect(text).toMatch(/^via-redis .* 3 ms /m);
    expect(text).toMatch(/^crypto.randomUUID .* 3 ms /m);
    // The worst block stands beside, in the table of all and in the one of that rate.
    expect(text).toMatch(/^ .*\(worst block /m);
    expect(text).toMatch(/^via-redis +1 µs +3 ms +6 ms +- /m);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    const page = renderHtml({ ...resultFixture, cases } as BenchResult);
    expect(page).toContain('<th scope="col">worst block</th>');
    expect(page).toContain('<small>worst block 6 ms</small>');
  });

  it('shows the worst block of open loops beside the p99 of all calls', () => {
    expect(terminal(resultFixture)).toMatch(/^via-redis +80 % +41\.6 k +180 µs +720 µs +950 µs /m);
    expect(renderHtml(resultFixture)).toContain('<th scope="col">worst block</th>');
  });

  it('says maybe, with a footnote, of what was not proven', () => {
    const needs = { rate: 2_000, p99Ms: 5 };
    const text = terminal({ ...resultFixture, advice: advise(needs, resultFixture.cases) });
    expect(text).toMatch(/^quick-ids +maybe¹ /m);
    expect(text).toContain('¹ not tested here: p99 at 2 k ids/s, which was not measured');
    expect(text).toContain('No recommendation: this run did not prove');
  });

  it('shows what people already use in the same columns, and promises nothing for it', () => {
    const text = terminal(resultFixture);
    expect(text).toMatch(/^crypto.randomUUID +58\.1 M /m);
    // Nothing but its speed is known.
    expect(text.match(/^crypto.randomUUID /gm)).toHaveLength(1);
    expect(text.match(/^For comparison/gm)).toHaveLength(1);
    expect(text).toContain('docs/choosing.md');
  });

  it('says in the decision table who fits, with a footnote for each reason, and recommends below it', () => {
    const needs = { order: { cluster: 'real-time' } } as const;
    const text = terminal({ ...resultFixture, advice: advise(needs, resultFixture.cases) });
    expect(text).toMatch(/^quick-ids +no¹ /m);
    expect(text).toMatch(/^via-redis +yes /m);
    expect(text).toMatch(/\n {2}¹ .*real-time.*k-sorted\n/);
    expect(text.indexOf('\n  ¹ ')).toBeLessThan(text.indexOf('Use via-redis'));
    expect(renderHtml({ ...resultFixture, advice: advise(needs, resultFixture.cases) })).toContain(
      '<p>¹ order across processes',
    );
  });

  it('says how many ids a crash may lose', () => {
    expect(terminal(resultFixture)).toMatch(/^quick-ids +0 of 10 M +nothing /m);
    expect(terminal(resultFixture)).toMatch(/^via-redis .* up to 2,000 +bigint/m);
    expect(terminal(resultFixture)).toContain('no bound');
  });
});

describe('figures', () => {
  it.each([
    [16_777_216, '16.8 M'],
    [999_999, '1.00 M'],
    [999.4, '999'],
    [52_000, '52 k'],
    [0, '0'],
  ])('writes %d as %s', (value, text) => {
    expect(quantity(value)).toBe(text);
  });

  it.each([
    [16.34, '16.3 ns'],
    [999.7, '1.00 µs'],
    [72_000, '72 µs'],
    [1_500_000_000, '1.50 s'],
  ])('writes %d nanoseconds as %s', (value, text) => {
    expect(nanoseconds(value)).toBe(text);
  });
});
