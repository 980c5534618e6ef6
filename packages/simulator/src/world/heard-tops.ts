import type { PipelineLike, RedisLike } from '@ids/segment-redis-db';

/** Where a take's arguments are: how many there are, and which one is the greatest bound that its caller has heard of. */
const TAKE = { length: 11, top: 7 };

/** Notes what a process says in its takes: `heard` gets the key and the greatest bound that the process knows. */
export function noteTops(redis: RedisLike, heard: (key: string, top: number) => void): RedisLike {
  const note = ([, key, ...args]: readonly (string | number)[]) => {
    if (args.length === TAKE.length) heard(String(key), Number(args[TAKE.top]));
  };
  const noted = (pipeline: PipelineLike): PipelineLike => ({
    evalsha: (sha1, ...rest) => {
      note(rest);
      return noted(pipeline.evalsha(sha1, ...rest));
    },
    eval: (text, ...rest) => {
      note(rest);
      return noted(pipeline.eval(text, ...rest));
    },
    wait: (...args) => noted(pipeline.wait(...args)),
    exec: () => pipeline.exec(),
  });
  return {
    evalsha: (sha1, ...rest) => {
      note(rest);
      return redis.evalsha(sha1, ...rest);
    },
    eval: (text, ...rest) => {
      note(rest);
      return redis.eval(text, ...rest);
    },
    pipeline: () => noted(redis.pipeline()),
  };
}
