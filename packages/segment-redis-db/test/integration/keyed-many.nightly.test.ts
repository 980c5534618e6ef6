import { assertHistory, historiesByKey, type Recording, startProcesses } from '@ids/conformance';
import { startRedis, uniqueName } from '@ids/local-services';
import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { describe, expect, inject } from 'vitest';
import { createKeyedContext } from '../support/keyed-subject.js';
import { adminOf } from '../support/load.js';

const database = inject('databaseUrl');
const KEYS = 10_000;

/** Four processes, 64 callers each, that use 10,000 keys by turns: all of them the same ones at a time. */
async function loadAll(redis: string): Promise<Recording> {
  return startProcesses({
    module: new URL('../support/keyed-subject.ts', import.meta.url),
    context: await createKeyedContext(redis, database, uniqueName('many')),
    processes: 4,
    callers: 64,
    keys: Array.from({ length: KEYS }, (_, i) => `group:${i}`),
    tolerateErrors: true,
  });
}

async function assertAllSound(recording: Recording): Promise<void> {
  const histories = historiesByKey(await recording.stop());
  expect(histories.size).toBe(KEYS);
  for (const history of histories.values()) {
    assertHistory(history, { levels: ['unique', 'real-time', 'increasing', 'fifo'] });
  }
}

describe('four processes on ten thousand keys', () => {
  faultTest('repeat nothing, in order, while Redis is flushed again and again', async () => {
    await using redis = await startRedis();
    await using admin = adminOf(redis.url);
    await using recording = await loadAll(redis.url);
    // Each key was used by each process, before the first flush and after the last one.
    await recording.issued(4 * KEYS);
    for (let i = 0; i < 4; i++) {
      const before = recording.noted('void: missing');
      await injectFault(() => admin.redis.flushall());
      await felt('missing records', () => recording.noted('void: missing') > before, recording.issued(KEYS));
      await recording.issued(KEYS / 2);
    }
    await recording.issued(4 * KEYS);
    await assertAllSound(recording);
  });
});
