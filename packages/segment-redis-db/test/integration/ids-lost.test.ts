import { startRedis } from '@ids/local-services';
import { describe, expect, it } from 'vitest';
import { Fixture } from '../support/fixture.js';

const maxIdsLost = 3_000;

describe('what a dispenser sets aside', () => {
  it('is no more than may be lost, whatever demand had made of the step', async () => {
    await using fixture = new Fixture('ids:');
    await using server = await startRedis();
    const client = fixture.client(server.url);
    const generator = await fixture.generator(server.url, { minStep: 50, maxStep: 1_000_000, maxIdsLost });
    expect(generator.guarantees.maxIdsLost).toBe(maxIdsLost);
    let most = 0;
    for (let round = 0; round < 40; round++) {
      let last = 0;
      // More than a low-water mark, so that a fill is under way or done when all is lost.
      for (let given = 0; given < 4_000; given += 500) last = (await generator.nextBatch(500)).at(-1) ?? 0;
      await client.flushall();
      const leap = (await generator.next()) - last - 1;
      expect(leap).toBeLessThanOrEqual(maxIdsLost);
      most = Math.max(most, leap);
    }
    // The bound was put to the test: the step had grown to two thirds of it.
    expect(most).toBeGreaterThan(maxIdsLost / 3);
  });
});
