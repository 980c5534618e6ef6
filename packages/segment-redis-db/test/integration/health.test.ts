import { startRedis } from '@ids/local-services';
import { describe, expect, it } from 'vitest';
import { Fixture } from '../support/fixture.js';

describe('the health of a dispenser', () => {
  it('is down while Redis is away, however many ids it held, and well again once it answers', async () => {
    await using fixture = new Fixture('ids:');
    await using server = await startRedis();
    const generator = await fixture.generator(server.url, { deadlineMs: 2_000 });
    await generator.ready();
    await generator.next();
    expect(generator.health()).toMatchObject({ status: 'ok', remaining: 999 });
    await server.kill();
    await expect(generator.next()).rejects.toMatchObject({ retryable: true });
    expect(generator.health()).toMatchObject({
      status: 'down',
      remaining: 0,
      lastError: { code: expect.stringMatching(/^ERR_IDS_(UNAVAILABLE|TIMEOUT)$/) },
    });
    await server.restart();
    await expect.poll(() => generator.next().catch(() => 0), { timeout: 30_000 }).toBeGreaterThan(1);
    expect(generator.health().status).toBe('ok');
  });
});
