/**
 * The part of an ioredis `Redis` or `Cluster` that the dispenser calls. A client that is handed in is never patched,
 * configured or closed; its `keyPrefix` applies.
 */
export interface RedisLike {
  evalsha(sha1: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
  eval(script: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
}

export function isRedisLike(value: unknown): value is RedisLike {
  if (typeof value !== 'object' || value === null) return false;
  const { evalsha, eval: evaluate } = value as Partial<RedisLike>;
  return typeof evalsha === 'function' && typeof evaluate === 'function';
}
