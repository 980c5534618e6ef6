/**
 * The part of an ioredis `Redis` or `Cluster` that the dispenser calls. A client that is handed in is never
 * patched, configured or closed; its `keyPrefix` applies.
 */
export interface RedisLike {
  evalsha(sha1: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
  eval(script: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
  /** Called with the option `waitReplicas` only. */
  pipeline(): PipelineLike;
}

/** Commands that are sent together, over one connection. */
export interface PipelineLike {
  evalsha(sha1: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): PipelineLike;
  eval(script: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): PipelineLike;
  wait(replicas: number, milliseconds: number): PipelineLike;
  /** An error or a reply for each command. */
  exec(): Promise<[error: Error | null, reply: unknown][] | null>;
}

export function isRedisLike(value: unknown): value is RedisLike {
  if (typeof value !== 'object' || value === null) return false;
  const { evalsha, eval: evaluate, pipeline } = value as Partial<RedisLike>;
  return [evalsha, evaluate, pipeline].every((method) => typeof method === 'function');
}
