import { describe, expect, it } from 'vitest';
import { selectCases } from '../src/cases/select.js';
import { cases } from '../src/cases/strategies.js';
import { parseArguments } from '../src/cli/arguments.js';
import { profiles } from '../src/experiments/profile.js';

describe('the command line', () => {
  it('asks for nothing', () => {
    expect(parseArguments([])).toEqual({
      command: 'run',
      strategies: [],
      ci: false,
      help: false,
      json: false,
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
      json: true,
      profile: profiles.full,
    };
    const joined = ['--full', '--only=objectid,gpid', '--processes=8', '--out=there', '--json'];
    const apart = ['--full', '--only', 'objectid, gpid', '--processes', '8', '--out', 'there', '--json'];
    expect(parseArguments(joined)).toMatchObject(expected);
    expect(parseArguments(apart)).toMatchObject(expected);
  });

  it.each([
    ['--ful', 'unknown option "--ful" (did you mean "--full"? known: --quick, --full'],
    ['-x', 'unknown option "--x"'],
    ['--processes=1', '--processes must be a whole number from 2 to 64, got "1"'],
    ['--processes=4.5', 'got "4.5"'],
    ['--processes', 'got ""'],
    ['--rate=fast', '--rate must be a whole number of ids per second from 1, got "fast"'],
    ['--order=realtime', 'unknown value for --order "realtime" (did you mean "real-time"?'],
    ['--type=ulid', 'unknown value for --type "ulid" (did you mean "uuid"?'],
    ['--reveals=volume', 'unknown value for --reveals "volume" (known: time, host, address, process'],
    ['--only=', '--only needs names of strategies'],
    ['--out=', '--out needs a folder'],
    ['objectid', 'unknown command "objectid" (known: run, faults, index, report'],
  ])('refuses %s and says what is accepted', (argument, message) => {
    expect(() => parseArguments([argument])).toThrow(message);
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
    expect(() => parseArguments(['--rate=1', `--p99=${text}`])).toThrow(
      `--p99 must be a time such as 500us, 5ms or 1s, got "${text}"`,
    );
  });

  it('refuses a p99 without a rate, and a length that is none', () => {
    expect(() => parseArguments(['--p99=5ms'])).toThrow('--p99 needs --rate');
    expect(() => parseArguments(['--max-length=0'])).toThrow('from 1 to 9999, got "0"');
  });

  it('refuses two profiles at once', () => {
    expect(() => parseArguments(['--quick', '--full'])).toThrow('--quick and --full exclude each other');
  });
});

describe('--only', () => {
  it('keeps the named strategies and what they are compared with', () => {
    const names = selectCases(cases, ['segment-redis-db']).map(({ name }) => name);
    expect(names).toEqual(['segment-redis-db', 'redis INCR', 'postgres nextval']);
  });

  it('suggests the nearest name', () => {
    expect(() => selectCases(cases, ['objctid'])).toThrow(
      'unknown strategy "objctid" (did you mean "objectid"? known: objectid,',
    );
  });

  it('does not take a control for a strategy', () => {
    expect(() => selectCases(cases, ['nanoid'])).toThrow('unknown strategy "nanoid"');
  });
});

describe('the list of cases', () => {
  it('compares every strategy with controls that are in it', () => {
    const controls = cases.filter(({ kind }) => kind === 'control').map(({ name }) => name);
    for (const one of cases) {
      if (one.kind !== 'strategy') continue;
      expect(one.comparedWith.length).toBeGreaterThan(0);
      expect(controls).toEqual(expect.arrayContaining([...one.comparedWith]));
    }
  });
});
