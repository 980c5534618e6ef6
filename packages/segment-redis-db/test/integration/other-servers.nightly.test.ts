import {
  startRedisCluster,
  startRedisReplication,
  startRedisSentinel,
  uniqueName,
} from '@ids/local-services';
import { describe, expect, it } from 'vitest';
import { REDIS_CLIENTS } from '../support/client-names.js';
import { openUrl } from '../support/connect-in-process.js';
import { Fixture } from '../support/fixture.js';

/** How a start at this URL is refused, with the client `name`. */
async function refusal(url: string, name: (typeof REDIS_CLIENTS)[number]) {
  await using fixture = new Fixture(`${uniqueName('other')}:`);
  const opening = openUrl(url, name).then(async ({ client, disconnect }) => {
    await fixture.generator(url, { redis: client }).finally(disconnect);
  });
  return opening.then(
    () => 'not refused',
    ({ code, retryable, message }) => ({ code, retryable, message }),
  );
}

const named = (what: string) => ({
  code: 'ERR_IDS_CONFIG',
  retryable: false,
  message: expect.stringContaining(what),
});

describe.each(REDIS_CLIENTS)('a URL, opened by %s, is refused by the name of', (name) => {
  it('a replica, with the address of its primary', async () => {
    await using group = await startRedisReplication();
    const [replica] = group.replicas;
    const refused = await refusal(replica?.url ?? '', name);
    expect(refused).toMatchObject(named(`primary, ${group.primary.host}:${group.primary.port}`));
  });

  it('a Sentinel', async () => {
    await using group = await startRedisSentinel({ sentinels: 1 });
    expect(await refusal(group.sentinels[0]?.url ?? '', name)).toMatchObject(named('a Sentinel'));
  });

  it('a Cluster, of which it is a node that does not have the key', async () => {
    await using cluster = await startRedisCluster();
    const owner = await cluster.ownerOfKey('{order}');
    const other = cluster.nodes.find(({ port }) => port !== owner.port);
    expect(await refusal(other?.url ?? '', name)).toMatchObject(named('new Cluster('));
  });
});
