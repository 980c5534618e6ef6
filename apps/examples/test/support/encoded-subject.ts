import { type IdsConfig, openIds } from '@ids/config';
import type { IdGenerator } from '@ids/core';
import { gpid } from '@ids/gpid';
import { objectid } from '@ids/objectid';
import { segmentInproc } from '@ids/segment-inproc';
import { segmentRedisDb } from '@ids/segment-redis-db';
import { uuid7 } from '@ids/uuid7';

/** Opens the generator `order` of a config; the kit does so in child processes and threads as well. */
export async function open(config: IdsConfig): Promise<IdGenerator> {
  const ids = await openIds({ strategies: [objectid, uuid7, gpid, segmentInproc, segmentRedisDb], config });
  return ids.get('order') as IdGenerator;
}
