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

  it.each([
    ['--ful', 'unknown option "--ful" (did you mean "--full"? known: --quick, --full'],
    ['--onyl=objectid,gpid', 'unknown option "--onyl" (did you mean "--only"? known: --quick, --full'],
    ['-x', 'unknown option "-x"'],
    ['--processes=1', "'--processes <n>' argument '1' is invalid. It must be a whole number from 2 to 64."],
    ['--processes=4.5', "argument '4.5' is invalid"],
    ['--processes=-4', "argument '-4' is invalid"],
    ['--processes', "'--processes <n>' argument missing"],
    [
      '--rate=fast',
      "'--rate <n>' argument 'fast' is invalid. It must be a whole number from 1 to 999999999999.",
    ],
    [
      '--order=realtime',
      "'--order <word>' argument 'realtime' is invalid. Allowed choices are real-time, k-sorted,",
    ],
    [
      '--type=ulid',
      "'--type <word>' argument 'ulid' is invalid. Allowed choices are number, bigint, uuid, string.",
    ],
    ['--reveals=volume', "argument 'volume' is invalid. Allowed choices are time, host, address, process."],
    ['--only=', "'--only <a,b>' argument '' is invalid. It must be one or more names, separated by commas."],
    ['--strategy=,', "'--strategy <file,...>' argument ',' is invalid. It must be one or more names"],
    ['--out=', "'--out <dir>' argument '' is invalid. It must be the path of a folder."],
    [
      'objectid',
      "value 'objectid' is invalid for argument 'command'. Allowed choices are run, faults, keyed, report.",
    ],
    ['report', 'report needs a result.json'],
  ])('refuses %s and says what is accepted', (argument, message) => {
    expect(() => parseArguments([argument])).toThrow(message);
  });

  it('takes a result for a report, and nothing else', () => {
    expect(parseArguments(['report', 'a.json'])).toMatchObject({ command: 'report', file: 'a.json' });
    expect(() => parseArguments(['report', 'a.json', 'b.json'])).toThrow('Expected 2 arguments but got 3');
    expect(() => parseArguments(['faults', 'a.json'])).toThrow('unexpected argument "a.json" after "faults"');
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
      `'--p99 <time>' argument '${text}' is invalid. It must be a time such as 500us, 5ms or 1s.`,
    );
  });

  it('refuses a p99 without a rate, and a length that is none', () => {
    expect(() => parseArguments(['--p99=5ms'])).toThrow('--p99 needs --rate');
    expect(() => parseArguments(['--max-length=0'])).toThrow(
      "argument '0' is invalid. It must be a whole number from 1 to 9999.",
    );
  });

  it('refuses two profiles at once', () => {
    expect(() => parseArguments(['--smoke', '--full'])).toThrow('cannot be used with');
    expect(() => parseArguments(['--smoke', '--quick'])).toThrow('cannot be used with');
    expect(() => parseArguments(['--quick', '--full'])).toThrow(
      "option '--quick' cannot be used with option '--full'",
    );
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
