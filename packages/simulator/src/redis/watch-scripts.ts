import type { PipelineLike, RedisLike } from '@ids/segment-redis-db';

type Arguments = readonly (string | number)[];

/** Calls `sent` with the keys and the arguments of each script that goes to `redis`. */
export function watchScripts(
  redis: RedisLike,
  sent: (keys: readonly string[], args: readonly string[]) => void,
): RedisLike {
  const note = (count: number, rest: Arguments): void => {
    const all = rest.map(String);
    sent(all.slice(0, count), all.slice(count));
  };
  const watched = (pipeline: PipelineLike): PipelineLike => ({
    evalsha: (sha1, count, ...rest) => {
      note(count, rest);
      return watched(pipeline.evalsha(sha1, count, ...rest));
    },
    eval: (text, count, ...rest) => {
      note(count, rest);
      return watched(pipeline.eval(text, count, ...rest));
    },
    wait: (...args) => watched(pipeline.wait(...args)),
    exec: () => pipeline.exec(),
  });
  return {
    evalsha: (sha1, count, ...rest) => {
      note(count, rest);
      return redis.evalsha(sha1, count, ...rest);
    },
    eval: (text, count, ...rest) => {
      note(count, rest);
      return redis.eval(text, count, ...rest);
    },
    pipeline: () => watched(redis.pipeline()),
  };
}
