import { describe, expect, it } from 'vitest';
import { readArguments } from '../src/arguments.js';
import { guardNamed } from '../src/guards.js';
import { isKeyed } from '../src/search.js';

describe('the command line', () => {
  it('reads a replay', () => {
    const args = readArguments(['--seed', '7', '--only', '1,2', '--trace']);
    expect(args).toMatchObject({ seed: 7, trace: true, untilFailure: false });
    expect([...(args.only ?? [])]).toEqual([1, 2]);
  });

  it('takes "none" for no faults, and all of them by default', () => {
    expect(readArguments(['--seed', '7', '--only', 'none']).only).toEqual(new Set());
    expect(readArguments(['--seed', '7']).only).toBeUndefined();
  });

  it('goes on for a minute, or until a failure, or until whichever is first', () => {
    expect(readArguments([]).forMs).toBe(60_000);
    expect(readArguments(['--until-failure']).forMs).toBe(Number.POSITIVE_INFINITY);
    expect(readArguments(['--until-failure', '--minutes', '0.5']).forMs).toBe(30_000);
  });

  it('plays so many seeds, however long that takes', () => {
    expect(readArguments(['--seeds', '300'])).toMatchObject({ seeds: 300, forMs: Number.POSITIVE_INFINITY });
    expect(readArguments(['--minutes', '1'])).toMatchObject({
      seeds: Number.POSITIVE_INFINITY,
      forMs: 60_000,
    });
  });

  it('searches each guard in a number of seeds, unless a time is given', () => {
    expect(readArguments([]).guards).toBeUndefined();
    expect(readArguments(['--guards'])).toMatchObject({ guards: true, forMs: Number.POSITIVE_INFINITY });
    expect(readArguments(['--guards']).seeds).toBeLessThan(Number.POSITIVE_INFINITY);
    expect(readArguments(['--guards', 'fence', '--seeds', '5'])).toMatchObject({ guards: 'fence', seeds: 5 });
    expect(readArguments(['--guards', '--minutes', '2'])).toMatchObject({
      seeds: Number.POSITIVE_INFINITY,
      forMs: 120_000,
    });
  });

  it('plays keys in every fourth seed of a search, in those of their guards, and where that is said', () => {
    const keyed = (args: readonly string[], seed: number) => isKeyed(readArguments(args), seed);
    expect([1, 2, 3, 4].map((seed) => keyed([], seed))).toEqual([false, false, false, true]);
    expect(keyed(['--keyed'], 1)).toBe(true);
    expect(keyed(['--guard', 'reign of a key'], 1)).toBe(true);
    expect(keyed(['--guard', 'fence'], 4)).toBe(false);
    expect(keyed(['--seed', '4'], 4)).toBe(false);
    expect(keyed(['--sequences', '1'], 4)).toBe(false);
  });

  it.each([
    [
      ['--seed=-1'],
      /'--seed <N>' argument '-1' is invalid. A whole number from 0 to 9007199254740991 is accepted/,
    ],
    [['--seed', '1.5'], /'--seed <N>' argument '1\.5' is invalid. A whole number/],
    [['--seed', ''], /'--seed <N>' argument '' is invalid. A whole number/],
    [
      ['--processes', '0'],
      /'--processes <N>' argument '0' is invalid. A whole number from 1 to 10000 is accepted/,
    ],
    [
      ['--sequences', '1001'],
      /'--sequences <N>' argument '1001' is invalid. A whole number from 1 to 1000 is accepted/,
    ],
    [['--minutes', '0'], /'--minutes <N>' argument '0' is invalid. A number above 0 is accepted/],
    [['--minutes', 'soon'], /'--minutes <N>' argument 'soon' is invalid. A number above 0/],
    [['--from', '1e3'], /'--from <N>' argument '1e3' is invalid. A whole number/],
    [['--only', '1'], /--only is accepted only with --seed/],
    [['--seed', '1', '--only', '1,x'], /'--only <N,N>' argument '1,x' is invalid. A whole number/],
    [['--threads', '0'], /'--threads <N>' argument '0' is invalid. A whole number from 1 to 64 is accepted/],
    [['--seed', '1', '--threads', '1'], /'--seed <N>' cannot be used with option '--threads <N>'/],
    [['--seed', '1', '--minutes', '1'], /'--seed <N>' cannot be used with option '--minutes <N>'/],
    [['--seed', '1', '--until-failure'], /'--seed <N>' cannot be used with option '--until-failure'/],
    [['--seeds', '0'], /'--seeds <N>' argument '0' is invalid. A whole number from 1 to/],
    [['--seeds', '1', '--minutes', '1'], /'--seeds <N>' cannot be used with option '--minutes <N>'/],
    [['--seed', '1', '--seeds', '1'], /'--seed <N>' cannot be used with option '--seeds <N>'/],
    [['--guards', '--guard', 'fence'], /'--guards \[NAME\]' cannot be used with option '--guard <NAME>'/],
    [['--tolerate', 'unique'], /'--tolerate <KIND>' argument 'unique' is invalid. Allowed choices are/],
    [['--keyed', '--sequences', '1'], /'--keyed' cannot be used with option '--sequences <N>'/],
    [['--trace'], /--trace is accepted only with --seed/],
    [['--sed', '1'], /unknown option '--sed'\n\(Did you mean --seed\?\)/],
    [['--minutes'], /'--minutes <N>' argument missing/],
    [['7'], /Expected 0 arguments but got 1/],
  ])('refuses %j', (args, message) => {
    expect(() => readArguments(args)).toThrow(message);
  });

  it('names the guards when asked for one that is not there', () => {
    expect(() => guardNamed('wall')).toThrow(/--guard wall: one of "fence", .* is accepted/);
  });
});
