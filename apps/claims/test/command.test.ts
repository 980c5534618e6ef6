import { profiles } from '@ids/bench/command';
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

  it('refuses options that only strategies have', () => {
    expect(() => parseArguments(['--rate=5'])).toThrow('unknown option "--rate"');
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
