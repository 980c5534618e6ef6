import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asResult, type ClaimVerdict, profiles, runCommand } from '@ids/bench/command';
import { describe, expect, it, vi } from 'vitest';
import { parseArguments } from '../src/command.js';
import { regressionsCommand } from '../src/regressions/command.js';

describe('the command line of claims', () => {
  it('holds the packages to their claims when asked to', () => {
    expect(parseArguments(['--only', 'gpid', '--ci'])).toMatchObject({
      ci: true,
      only: ['gpid'],
      out: 'bench-report',
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
  const environment = {
    ...{ node: '20', os: 'an OS', cpu: 'a CPU', cores: 2, memoryBytes: 1 },
    load: { before: 0, after: 0, others: 0 },
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
  ])('for a claim with the verdict %s is %d', async (verdict, code) => {
    const out = await mkdtemp(join(tmpdir(), 'ids-claims-test-'));
    const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const facts = { environment, startedAt: '2026-01-01', seconds: 1, incomplete: false, problems: [] };
    const claims = [{ ...claim, verdict }];
    const result = asResult({ profile: profiles.quick, processes: 1, seed: 1 }, { ...facts, claims });
    const command = { name: 'claims', parse: parseArguments, measure: async () => result };
    const ended = await runCommand(command, ['--out', out]).finally(() => printed.mockRestore());
    await rm(out, { recursive: true });
    expect(ended).toBe(code);
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
