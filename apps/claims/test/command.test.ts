import { profiles } from '@ids/bench/command';
import { describe, expect, it, vi } from 'vitest';
import { exitCode, parseArguments } from '../src/command.js';
import { regressionsCommand } from '../src/regressions/command.js';
import type { ClaimsResult, ClaimVerdict } from '../src/results.js';

describe('the command line of claims', () => {
  it('holds the packages to their claims when asked to', () => {
    expect(parseArguments(['--only', 'gpid'])).toMatchObject({
      only: ['gpid'],
      out: 'bench-report/claims',
      profile: profiles.quick,
    });
    expect(() => parseArguments(['gpid'])).toThrow('Expected 0 arguments but got 1');
  });

  it('writes figures into READMEs only when asked to, and never those of a smoke run', () => {
    expect(parseArguments([]).write).toBe(false);
    expect(parseArguments(['--write']).write).toBe(true);
    expect(() => parseArguments(['--smoke', '--write'])).toThrow(
      "'--write' cannot be used with option '--smoke'",
    );
  });

  it('refuses options that only strategies have', () => {
    expect(() => parseArguments(['--rate=5'])).toThrow('unknown option "--rate"');
  });
});

describe('the exit code of claims', () => {
  const result: ClaimsResult = {
    ...{ startedAt: '2026-01-01', seconds: 1, incomplete: false, problems: [] },
    ...{ profile: 'quick', processes: 1, claims: [], probes: [] },
    environment: {
      ...{ node: '20', os: 'an OS', cpu: 'a CPU', cores: 2, memoryBytes: 1, otherCores: 0, version: '1' },
    },
  };
  const claim = {
    ...{ id: 'gpid/x', package: 'gpid', text: 'it is fast', case: { probe: 'gpid', figure: 'ns' } },
    ...{ direction: 'at least' as const, threshold: 3, measured: { median: 2, low: 1.9, high: 2.1 } },
  };

  it.each<[ClaimVerdict, number]>([
    ['holds', 0],
    ['unclear', 0],
    ['not comparable', 0],
    ['misses', 1],
  ])('for a claim with the verdict %s is %d', (verdict, code) => {
    expect(exitCode({ ...result, claims: [{ ...claim, verdict }] })).toBe(code);
  });

  it('is 130 if it was stopped, and 1 if a probe failed', () => {
    expect(exitCode({ ...result, incomplete: true, problems: ['gpid: crashed'] })).toBe(130);
    expect(exitCode({ ...result, problems: ['gpid: crashed'] })).toBe(1);
  });
});

describe('the command line of regressions', () => {
  it.each([
    ['--bas=main', 2, 'regressions: unknown option "--bas" (did you mean "--base"?'],
    ['--base', 2, "regressions: option '--base <ref>' argument missing"],
    ['main', 2, 'regressions: too many arguments. Expected 0 arguments but got 1.'],
    ['--help', 0, '  --base <ref>  a branch, tag or commit'],
    ['-h', 0, 'Exits with 1 if a figure is slower'],
  ])('ends %s with %d', async (argument, code, text) => {
    let written = '';
    const keep = (chunk: unknown) => {
      written += chunk;
      return true;
    };
    const spies = [process.stdout, process.stderr].map((stream) =>
      vi.spyOn(stream, 'write').mockImplementation(keep),
    );
    const ended = await regressionsCommand([argument]).finally(() => {
      for (const spy of spies) spy.mockRestore();
    });
    expect(ended).toBe(code);
    expect(written).toContain(text);
  });
});
