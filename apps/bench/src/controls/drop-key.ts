import { need } from '../backend-names.js';
import type { CaseEnvironment } from '../bench-case.js';

/** Leaves nothing of the run in Redis. */
export async function dropKey({ redisUrl }: CaseEnvironment, key: string): Promise<void> {
  const { Redis } = await import('ioredis');
  const redis = new Redis(need(redisUrl, 'Redis'));
  await redis.del(key);
  await redis.quit();
}
