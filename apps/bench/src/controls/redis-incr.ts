import { keyPrefixOf, need } from '../backend-names.js';
import type { CaseEnvironment, ControlCase } from '../bench-case.js';
import { dropKey } from './drop-key.js';

/** One counter in Redis over one connection, pipelined automatically: no lease, no guard, no database. */
export const redisIncr: ControlCase = {
  kind: 'control',
  name: 'redis INCR',
  backends: ['redis'],
  format: { idType: 'number', text: { pattern: /^[1-9]\d*$/, maxLength: 16, sortable: false } },
  async open(environment) {
    const { Redis } = await import('ioredis');
    const redis = new Redis(need(environment.redisUrl, 'Redis'), { enableAutoPipelining: true });
    const key = keyOf(environment);
    return {
      next: () => redis.incr(key),
      async nextBatch(count) {
        const high = await redis.incrby(key, count);
        return Array.from({ length: count }, (_, i) => high - count + 1 + i);
      },
      async close() {
        await redis.quit();
      },
    };
  },
  cleanUp: (environment) => dropKey(environment, keyOf(environment)),
};

function keyOf(environment: CaseEnvironment): string {
  return `${keyPrefixOf(environment)}incr`;
}
