import { startFaultProxy, uniqueName } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { describe, expect, inject } from 'vitest';
import { Fixture } from '../support/fixture.js';

describe('the health of a dispenser', () => {
  faultTest('is not ok while every answer of Redis comes too late for its callers', async () => {
    await using fixture = new Fixture(uniqueName('health'));
    const target = { host: '127.0.0.1', port: Number(new URL(inject('redisUrl')).port) };
    await using proxy = await startFaultProxy({ target });
    const generator = await fixture.generator(proxy.url('redis'), { deadlineMs: 100 });
    await generator.ready();
    await injectFault(() => proxy.delay(300));
    const since = performance.now();
    while (performance.now() - since < 1_000) {
      await expect(generator.next()).rejects.toMatchObject({ code: 'ERR_IDS_TIMEOUT' });
    }
    expect(generator.health()).toMatchObject({
      status: 'degraded',
      lastError: { code: 'ERR_IDS_TIMEOUT', message: expect.stringMatching(/^Redis has not answered/) },
    });
    proxy.delay(0);
    await expect.poll(() => generator.next().catch(() => 0)).toBeGreaterThan(0);
    expect(generator.health()).toMatchObject({ status: 'ok' });
  });
});
