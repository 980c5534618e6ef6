import { profiles, Trials, tooBusy, WorkRecord } from '@ids/bench/command';
import { describe, expect, it } from 'vitest';
import { judgeClaims } from '../src/judge.js';
import { claimList, probes } from '../src/list.js';
import type { Claim, ProbeResult } from '../src/results.js';
import { claimsPhases } from '../src/run.js';

const claim: Claim = {
  id: 'thing/fast',
  package: 'thing',
  text: 'it is at least 3 times as fast',
  case: { probe: 'thing', figure: 'ns' },
  control: { probe: 'other', figure: 'ns' },
  direction: 'at least',
  threshold: 3,
};

function probe(name: string, values: readonly (number | null)[]): ProbeResult {
  return { name, status: 'ok', blocks: values.map((ns) => (ns === null ? null : { ns })) };
}

function judge(one: Claim, probes: readonly ProbeResult[], busy?: string) {
  const [result] = judgeClaims([one], probes, busy);
  if (result === undefined) throw new Error('no verdict');
  return result;
}

describe('a claim', () => {
  const other = probe('other', [300, 310, 320, 310, 310]);

  it.each([
    ['holds', [90, 90, 90, 90, 90]],
    ['misses', [110, 120, 130, 120, 120]],
    ['unclear', [90, 103, 130, 90, 130]],
  ])('%s where the whole interval says so', (verdict, values) => {
    expect(judge(claim, [probe('thing', values), other]).verdict).toBe(verdict);
  });

  it('is exact where the machine slowed both down together', () => {
    const { measured } = judge(claim, [probe('thing', [100, 900, 250]), probe('other', [400, 3_600, 1_000])]);
    expect(measured).toEqual({ median: 4, low: 4, high: 4 });
  });

  it.each([
    ['holds', 2.1],
    ['misses', 1.9],
  ])('of a cost %s up to its limit', (verdict, threshold) => {
    const cost: Claim = { ...claim, direction: 'at most', threshold };
    const [costs, controls] = [
      [200, 210, 200, 200, 210],
      [100, 105, 100, 100, 105],
    ];
    expect(judge(cost, [probe('thing', costs), probe('other', controls)])).toMatchObject({
      verdict,
      measured: { median: 2 },
    });
  });

  it.each([
    ['holds', [0, 0, 0, 0, 0]],
    ['misses', [1, 1, 1, 1, 1]],
  ])('of a bare figure %s without any control', (verdict, values) => {
    const { control: _, ...bare } = claim;
    const none: Claim = { ...bare, direction: 'at most', threshold: 0 };
    expect(judge(none, [probe('thing', values)]).verdict).toBe(verdict);
  });

  it('of what must never happen misses by one block of many', () => {
    const { control: _, ...bare } = claim;
    const never: Claim = { ...bare, direction: 'at most', threshold: 0, always: true };
    const verdicts = [
      [0, 0, 0, 0, 0, 0, 0, 0, 0],
      [0, 0, 0, 0, 1_000, 0, 0, 0, 0],
    ].map((values) => judge(never, [probe('thing', values)]));
    expect(verdicts).toMatchObject([{ verdict: 'holds' }, { verdict: 'misses', measured: { high: 1_000 } }]);
  });

  it('gets no verdict from fewer than five blocks, as of a stopped run, unless its figure is exact', () => {
    const few = [probe('thing', [90, 90, 90, 90, null]), probe('other', [300, 300, 300, 300, 300])];
    expect(judge(claim, few)).toMatchObject({
      verdict: 'not comparable',
      reason: 'measured in 4 blocks, 5 are needed',
      measured: { median: 300 / 90 },
    });
    expect(judge(claim, [probe('thing', [90]), probe('other', [300])]).reason).toMatch(/in 1 block, 5/);
    const { control: _, ...bare } = claim;
    const exact: ProbeResult = { ...probe('thing', [72]), exact: true };
    expect(judge({ ...bare, direction: 'at most', threshold: 72 }, [exact]).verdict).toBe('holds');
  });

  it('gets no verdict from a busy machine, and says how busy it was', () => {
    expect(tooBusy(0.4, 2)).toBeUndefined();
    const busy = tooBusy(0.6, 2);
    const { verdict, reason, measured } = judge(claim, [probe('thing', [1]), probe('other', [9])], busy);
    expect({ verdict, reason }).toEqual({ verdict: 'not comparable', reason: 'load 0.6 on 2 cores' });
    expect(measured?.median).toBe(9);
  });

  it('gets no verdict when one of the two was not measured, and says why', () => {
    const skipped: ProbeResult = { ...other, status: 'skipped', reason: 'no redis-server', blocks: [] };
    expect(judge(claim, [probe('thing', [1]), skipped])).toMatchObject({
      verdict: 'not comparable',
      reason: 'other: no redis-server',
    });
    expect(judge(claim, [probe('thing', [1, null]), probe('other', [null, 1])])).toMatchObject({
      verdict: 'not comparable',
      reason: 'the run was stopped before it was measured',
    });
  });
});

describe('the list of claims', () => {
  it('names each claim once, and measures all that it speaks of', () => {
    const { claims } = claimList;
    const ids = claims.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const names = probes.map(({ name }) => name);
    for (const one of claims) {
      expect(one.id.startsWith(`${one.package}/`)).toBe(true);
      expect(names).toEqual(expect.arrayContaining([one.case.probe]));
      if (one.control) expect(names).toEqual(expect.arrayContaining([one.control.probe]));
    }
  });

  it('is measured in a process per block, and in one process where the figure is exact', () => {
    const records = probes.map((probe) => new WorkRecord(probe));
    const steps = claimsPhases(records, profiles.quick, new Trials()).flatMap((phase) => phase.steps);
    for (const record of records) {
      const blocks = steps.filter((step) => step.record === record).length;
      expect([record.name, blocks]).toEqual([record.name, record.benchCase.exact ? 1 : 9]);
    }
    expect(new Set(probes.map(({ exact }) => exact === true))).toEqual(new Set([true, false]));
  });
});
