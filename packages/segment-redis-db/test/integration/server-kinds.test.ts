import { startRedis } from '@ids/local-services';
import { describe, expect, it } from 'vitest';
import { Fixture, fault } from '../support/fixture.js';
import type { Mutant } from '../support/mutant.js';

/** As a server before Redis 7 sees the scripts: it has no such constant, and INFO takes one section at a time. */
const BEFORE_REDIS_7: Mutant = {
  name: 'without the version',
  from: 'redis.REDIS_VERSION_NUM',
  to: 'redis.NO_SUCH_CONSTANT',
};

/** As a server that is like Redis, but has no Clusters and does not say so. */
const NO_SUCH_SECTION: Mutant = {
  name: 'without a word of Clusters',
  from: "'cluster_enabled:0'",
  to: "'cluster_enabled:?'",
};

describe('a dispenser', () => {
  it('serves where INFO takes one section at a time, behind the same fence', async () => {
    await using fixture = new Fixture('ids:', BEFORE_REDIS_7);
    await using server = await startRedis();
    const first = await fixture.take(server.url, 10);
    const client = fixture.client(server.url);
    await client.save();
    const lost = await fixture.take(server.url, 10);
    await server.kill();
    await server.restart();
    expect(fault([...first, ...lost, ...(await fixture.take(server.url, 10))])).toBeUndefined();
  });

  it('refuses a server that does not say whether it is in a Cluster', async () => {
    await using fixture = new Fixture('ids:', NO_SUCH_SECTION);
    await using server = await startRedis();
    await expect(fixture.generator(server.url)).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('whether it is in a Cluster'),
    });
  });

  it('leaves no error in the statistics of the server, which operators watch', async () => {
    await using fixture = new Fixture('ids:');
    await using server = await startRedis();
    const client = fixture.client(server.url);
    const errors = async () => /total_error_replies:\d+/.exec(await client.info('stats'))?.[0];
    const generator = await fixture.generator(server.url);
    await generator.ready();
    await generator.next();
    const before = await errors();
    expect(before).toBeDefined();
    for (let take = 0; take < 100; take++) await generator.next();
    expect(await errors()).toBe(before);
  });
});
