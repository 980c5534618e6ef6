import type { PipelineLike, RedisLike } from '@ids/segment-redis-db';

type Arguments = readonly (string | number)[];
type ScriptCall = readonly [numberOfKeys: number, rest: Arguments];

/** Hears of a script that goes to Redis: its keys, its arguments, and the promise of the answer. */
export type ScriptListener = (
  keys: readonly string[],
  args: readonly string[],
  answered: Promise<unknown>,
) => void;

/** The scripts that have one key, by the number of their arguments. */
const ONE_KEY = { 0: 'probe', 1: 'probe', 2: 'release', 7: 'install', 9: 'collect', 12: 'take' } as const;

export type ScriptName = (typeof ONE_KEY)[keyof typeof ONE_KEY] | 'take of keys' | 'install of keys';

/** The arguments of a take of sequences by key, whose scripts alone have more keys than one. */
const TAKE_OF_KEYS = 7;

/** Which script has so many keys and arguments: its text may be unknown to this run. */
export function scriptOf(keys: number, args: number): ScriptName | undefined {
  if (keys > 1) return args === TAKE_OF_KEYS ? 'take of keys' : 'install of keys';
  return (ONE_KEY as Readonly<Record<number, ScriptName>>)[args];
}

/** Calls `sent` for each script that goes to `redis`. */
export function watchScripts(redis: RedisLike, sent: ScriptListener): RedisLike {
  const note = <T>(calls: readonly ScriptCall[], answered: Promise<T>): Promise<T> => {
    for (const [count, rest] of calls) {
      const all = rest.map(String);
      sent(all.slice(0, count), all.slice(count), answered);
    }
    return answered;
  };
  const watched = (pipeline: PipelineLike, calls: readonly ScriptCall[]): PipelineLike => ({
    evalsha: (sha1, count, ...rest) =>
      watched(pipeline.evalsha(sha1, count, ...rest), [...calls, [count, rest]]),
    eval: (text, count, ...rest) => watched(pipeline.eval(text, count, ...rest), [...calls, [count, rest]]),
    wait: (...args) => watched(pipeline.wait(...args), calls),
    exec: () => note(calls, pipeline.exec()),
  });
  return {
    evalsha: (sha1, count, ...rest) => note([[count, rest]], redis.evalsha(sha1, count, ...rest)),
    eval: (text, count, ...rest) => note([[count, rest]], redis.eval(text, count, ...rest)),
    pipeline: () => watched(redis.pipeline(), []),
  };
}
