import type { PipelineLike, RedisLike } from '@ids/segment-redis-db';

/** What a process remembers, and says in each take. */
export interface Marks {
  /** The greatest id that it ever got. */
  readonly last: number;
  /** The greatest bound of a segment that it ever heard of. */
  readonly top: number;
}

/** Where a take's arguments are: how many there are, and which ones are marks. */
const TAKE = { length: 11, last: 6, top: 7 };

/** Passes on what a process says in its takes, with the key that it says it of. */
export function noteMarks(redis: RedisLike, heard: (key: string, marks: Marks) => void): RedisLike {
  const note = ([, key, ...args]: readonly (string | number)[]) => {
    if (args.length !== TAKE.length) return;
    heard(String(key), { last: Number(args[TAKE.last]), top: Number(args[TAKE.top]) });
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
