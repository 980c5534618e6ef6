import { IdError, type IdGenerator } from '@ids/core';
import { Redis } from 'ioredis';
import { createSegmentRedisDbGenerator } from '../../src/index.js';
import type { Context } from './subject.js';

const IN_FLIGHT = 8;

/**
 * A mutant: calls are spread over several dispensers that share one connection, so that several takes of one
 * process are in flight at the same time.
 */
export async function open({ redis: url, client: _, ...context }: Context): Promise<IdGenerator> {
  const redis = new Redis(url);
  const dispensers = await Promise.all(
    Array.from({ length: IN_FLIGHT }, () => createSegmentRedisDbGenerator({ ...context, redis })),
  );
  let calls = 0;
  const turn = (): IdGenerator => {
    const dispenser = dispensers[calls++ % IN_FLIGHT];
    if (dispenser === undefined) throw new IdError('ERR_IDS_CLOSED', 'no dispenser');
    return dispenser;
  };
  const close = async (): Promise<void> => {
    await Promise.all(dispensers.map((dispenser) => dispenser.close()));
    redis.disconnect();
  };
  return {
    strategy: 'segment-redis-db',
    guarantees: turn().guarantees,
    next: (options) => turn().next(options),
    nextBatch: (count, options) => turn().nextBatch(count, options),
    ready: (options) => turn().ready(options),
    health: () => turn().health(),
    close,
    [Symbol.asyncDispose]: close,
  };
}
