import type { Guarantees, KeyedIdGenerator } from '@ids/core';
import { KeyedDispenser } from '@ids/keyed';
import { openKeyedSource } from '@ids/keyed/sql';
import { type IdTypeName, type IdTypes, toIdOf } from '@ids/segment';
import { assertDatabase, hashKey } from '../dispenser-hash.js';
import { openRedis } from '../open-redis.js';
import { Silence } from '../silence.js';
import { RedisKeyedJournal } from './journal.js';
import type { ParsedKeyedOptions } from './options.js';
import { RedisKeyedSource } from './redis-keyed-source.js';

/** Opens a generator of sequences by key, after a look at Redis and at its family. */
export async function openKeyed(
  options: ParsedKeyedOptions,
  strategy: string,
  guarantees: Guarantees,
): Promise<KeyedIdGenerator<IdTypes[IdTypeName]>> {
  const { name, as, database: where, table, afterFailover, afterRestore, idleMs = 0 } = options;
  const { maxStep, maxNewKeysPerSecond, accept, group, deadlineMs } = options;
  const { maxIdsLost = Number.POSITIVE_INFINITY } = options;
  if (where === undefined) throw new TypeError('unreachable: a sequence by key needs a database');
  const database = await openKeyedSource({ database: where, table, afterFailover, afterRestore });
  const {
    redis,
    replace,
    close: closeRedis,
  } = await openRedis(options.redis, deadlineMs).catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  const journal = new RedisKeyedJournal(options.onEvent);
  const onEvent = journal.emit;
  const release = async (): Promise<void> => {
    await Promise.all([closeRedis(), database.close()]);
  };
  const silence = new Silence({ name, client: options.redis, redis, replace, onEvent });
  const backends = { redis, silence, database };
  const source = new RedisKeyedSource({ ...options, ...backends, idleMs, maxIdsLost, onEvent, release });
  try {
    await assertDatabase(redis, hashKey(options.keyPrefix, name));
  } catch (error) {
    await source.close();
    throw error;
  }
  return KeyedDispenser.open<IdTypes[IdTypeName]>({
    strategy,
    guarantees,
    source,
    closeSource: true,
    name,
    toId: toIdOf[as],
    maxStep,
    maxIdsLost: options.maxIdsLost,
    maxNewKeysPerSecond,
    accept,
    group,
    deadlineMs,
    refuseFormerPrimaryMs: options.refuseFormerPrimaryMs,
    journal,
  });
}
