import { profiles } from '@ids/bench/command';
import { describe, expect, it } from 'vitest';
import { parseArguments } from '../src/command.js';

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
