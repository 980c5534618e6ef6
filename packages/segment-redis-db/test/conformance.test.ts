import { runConformance } from '@ids/conformance';
import { createIds } from '@ids/core';
import { uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { describe, inject, it } from 'vitest';
import { segmentRedisDb } from '../src/index.js';
import { createContext } from './support/subject.js';

const [redis, database] = [inject('redisUrl'), inject('databaseUrl')];
const plan = createIds([segmentRedisDb]).plan({
  strategy: 'segment-redis-db',
  name: 'order',
  redis,
  database,
});

runConformance(
  {
    name: segmentRedisDb.name,
    module: new URL('./support/subject.ts', import.meta.url),
    guarantees: plan.guarantees,
    fresh: () => createContext(redis, database, uniqueName('redis_segment')),
  },
  { describe, it },
);
