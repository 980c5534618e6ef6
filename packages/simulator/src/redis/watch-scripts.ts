import type { PipelineLike, RedisLike } from '@ids/segment-redis-db';

type Arguments = readonly (string | number)[];
type ScriptCall = readonly [numberOfKeys: number, rest: Arguments];

/** Hears of a script that goes to Redis: its keys, its arguments, and the promise of the answer. */
export type ScriptListener = (
  keys: readonly string[],
  args: readonly string[],
  answered: Promise<unknown>,
) => void;

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
