import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cases as keyedCases } from '../src/cases/keyed.js';
import { selectCases } from '../src/cases/select.js';
import { cases } from '../src/cases/strategies.js';
import { parseArguments } from '../src/cli/options.js';
import { profiles } from '../src/experiments/profile.js';

describe('the command line', () => {
  it('asks for nothing', () => {
    expect(parseArguments([])).toEqual({
      command: 'run',
      strategies: [],
      needs: {},
      out: 'bench-report',
      processes: 4,
      profile: profiles.quick,
    });
  });

  it('takes every option in either spelling', () => {
    const expected = {
      only: ['objectid', 'gpid'],
      processes: 8,
      out: 'there',
      profile: profiles.full,
    };
    const joined = ['--full', '--only=objectid,gpid', '--processes=8', '--out=there'];
    const apart = ['--full', '--only', 'objectid, gpid', '--processes', '8', '--out', 'there'];
    expect(parseArguments(joined)).toMatchObject(expected);
    expect(parseArguments(apart)).toMatchObject(expected);
  });

  it('takes a result for a report', () => {
    // Not where a run writes: a report of another result must not take the place of that of the last run.
    const out = join('bench-report', 'report');
    expect(parseArguments(['report', 'a.json'])).toMatchObject({ command: 'report', file: 'a.json', out });
  });

  it('takes needs', () => {
    const flags = [
      '--rate=2000',
      '--order=real-time',
      '--type',
      'number',
      '--offline',
      '--public',
      '--reveals=process',
      '--p99=5ms',
      '--max-length=24',
    ];
    expect(parseArguments(flags).needs).toEqual({
      rate: 2_000,
      p99Ms: 5,
      maxLength: 24,
      order: { cluster: 'real-time' },
      type: 'number',
      offline: true,
      reveals: ['process'],
      public: true,
    });
  });

  it.each([
    ['--order=increasing', { order: { process: 'increasing' } }],
    ['--order=k-sorted', { order: { cluster: 'k-sorted' } }],
    ['--type=string', { type: 'string' }],
  ])('takes the words of a config: %s', (flag, needs) => {
    expect(parseArguments([flag]).needs).toEqual(needs);
  });

  it.each([
    ['500us', 0.5],
    ['2.5ms', 2.5],
    ['1s', 1_000],
  ])('reads a p99 of %s', (text, p99Ms) => {
    expect(parseArguments(['--rate=1', `--p99=${text}`]).needs).toEqual({ rate: 1, p99Ms });
  });

  it.each(['5', '0ms', '-1ms', '5m', 'ms', ''])('refuses a p99 of "%s"', (text) => {
    expect(() => parseArguments(['--rate=1', `--p99=${text}`])).toThrow('--p99');
  });
});

describe('--only', () => {
  it('keeps the named strategies and what they are compared with', () => {
    const names = selectCases(cases, ['segment-redis-db']).map(({ name }) => name);
    expect(names).toEqual(['segment-redis-db', 'redis INCR', 'postgres nextval']);
  });
});

describe('the list of cases', () => {
  it.each([
    ['bench', cases],
    ['bench keyed', keyedCases],
  ])('of %s compares every strategy with controls that are in it', (_, list) => {
    const controls = list.filter(({ kind }) => kind === 'control').map(({ name }) => name);
    for (const one of list) {
      if (one.kind !== 'strategy') continue;
      expect(one.comparedWith.length).toBeGreaterThan(0);
      expect(controls).toEqual(expect.arrayContaining([...one.comparedWith]));
    }
  });
});
