import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { verdictOf } from '../src/judge.js';
import { claimList, stated } from '../src/list.js';
import { type Measured, readMeasured, withRun } from '../src/measured.js';
import { PAGES, readPage, statedBy, statePage, writePages } from '../src/pages.js';
import type { ClaimResult } from '../src/results.js';

const measured = await readMeasured();
if (process.env.IDS_WRITE_DOCS === '1') await writePages(stated, measured);

describe('the claims on the pages', () => {
  it.each(PAGES)(
    'are those that are checked, with what was measured: %s (IDS_WRITE_DOCS=1)',
    async (page) => {
      const text = await readPage(page);
      expect(statedBy(text, stated).length).toBeGreaterThan(0);
      expect(text).toBe(statePage(text, stated, measured));
    },
  );

  it('are all that are checked', async () => {
    const texts = await Promise.all(PAGES.map(readPage));
    const ids = new Set(texts.flatMap((text) => statedBy(text, stated)));
    expect(claimList.claims.map(({ id }) => id).filter((id) => !ids.has(id))).toEqual([]);
  });

  it('are not contradicted by what was measured', () => {
    const known = new Map(claimList.claims.map((claim) => [claim.id, claim]));
    const figures = Object.values(measured).flatMap(({ claims }) => Object.entries(claims));
    const verdicts = figures.map(([id, { median, low = median, high = median }]) => {
      const claim = known.get(id);
      return `${id} ${claim === undefined ? 'is no claim' : verdictOf(claim, { low, high })}`;
    });
    expect(verdicts.filter((verdict) => !/ (holds|unclear)$/.test(verdict))).toEqual([]);
    expect(verdicts.length).toBeGreaterThan(50);
  });

  it('are those of the page that compares the strategies', async () => {
    const rows = (await readFile(new URL('../../../docs/choosing.md', import.meta.url), 'utf8')).split('\n');
    const ratios = rows.flatMap((row) =>
      [...row.matchAll(/at least ([\d.]+) times as fast as `([^`(]+)/g)].map(([, times, peer = '']) => {
        const [, name] = /^\| `([^`]+)`/.exec(row) ?? [];
        const one = claimList.claims.find(
          ({ package: owner, text, threshold }) =>
            owner === name && threshold === Number(times) && text.includes(peer),
        );
        return [name, times, peer, one === undefined ? 'not claimed' : 'claimed'];
      }),
    );
    expect(ratios.filter(([, , , found]) => found !== 'claimed')).toEqual([]);
    expect(ratios.length).toBeGreaterThan(3);
  });
});

describe('a run whose figures are written', () => {
  const before: Measured = { a: { machine: 'old', claims: { 'a/x': { median: 3 } } } };
  const environment = { node: '20.1.0', cpu: 'Some CPU', cores: 2 } as never;
  const result = (id: string, verdict: ClaimResult['verdict']): ClaimResult => ({
    id,
    package: id.slice(0, 1),
    text: 'it is fast',
    case: { probe: 'p', figure: 'f' },
    direction: 'at least',
    threshold: 2,
    verdict,
    measured: { median: 3.13, low: 3.04, high: 12.345 },
  });

  it('replaces those of its packages, with their intervals and its machine', () => {
    const claims = [result('b/y', 'holds')];
    expect(withRun(before, { claims, environment })).toEqual({
      measured: {
        ...before,
        b: {
          machine: 'Node.js 20.1.0, 2 cores of Some CPU',
          claims: { 'b/y': { median: 3.1, low: 3, high: 12 } },
        },
      },
      refused: [],
    });
  });

  it.each(['misses', 'not comparable'] as const)(
    'replaces nothing of a package with a claim that is %s',
    (verdict) => {
      const claims = [result('a/x', 'holds'), result('a/z', verdict)];
      expect(withRun(before, { claims, environment })).toEqual({
        measured: before,
        refused: [`a/z: ${verdict}`],
      });
    },
  );

  it('is stated with the claim, the median and the interval', () => {
    const page = 'Fast.\n\n<!-- claims gpid/parse -->\nold\n<!-- /claims -->\n';
    const claims = { 'gpid/parse': { median: 0.9, low: 0.85, high: 0.97 } };
    const text = statePage(page, stated, { gpid: { machine: 'two idle cores', claims } });
    expect(text).toContain('its 95 % interval in parentheses (two idle cores)');
    expect(text).toMatch(/\| Gpid\.parse\(\) .* \| ≥ 0\.75: 0\.9 \(0\.85 to 0\.97\) +\|/);
    expect(text).not.toContain('old');
    expect(() => statePage(page.replace('parse', 'pars'), stated, {})).toThrow('named "gpid/pars"');
  });
});
