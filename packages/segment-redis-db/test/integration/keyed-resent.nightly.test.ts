import { type RedisServer, startRedis } from '@ids/local-services';
import { faultsOff, faultTest, injectFault } from '@ids/local-services/fault-test';
import type { Redis } from 'ioredis';
import { describe, expect } from 'vitest';
import { connectTo } from '../support/connect-to.js';
import { clientOf, KeyedFamily } from '../support/keyed-family.js';
import { ResendingClient } from '../support/resending-client.js';

/** So few that none are reserved ahead. */
const small = { minStep: 6, maxStep: 6 };

const losses = {
  'nothing else happened': async () => {},
  'Redis was flushed': async (admin: Redis) => void (await admin.flushall()),
  'Redis came back with a dump': async (admin: Redis, server: RedisServer) => {
    await admin.save();
    await server.kill();
    await server.restart();
  },
};

describe.each(Object.entries(losses))('a script for keys that is sent again after %s', (_loss, lose) => {
  for (const script of ['takeOfKeys', 'installOfKeys'] as const) {
    faultTest(`leaves a gap at most, if it is ${script}`, async () => {
      await using server = await startRedis();
      const admin = clientOf(server.url);
      const family = await KeyedFamily.create();
      const connected = connectTo(server.url);
      const client = new ResendingClient(connected.redis);
      const resending = await family.open(client, small);
      const other = await family.open(server.url, small);
      await family.take(resending, ['a', 'b'], 2);
      // All that is left, if the call below is to install a segment.
      await family.take(other, ['a', 'b'], script === 'installOfKeys' ? 4 : 1);
      const lost = faultsOff ? undefined : client.loseReplyOf(script);
      const slow = family.take(resending, ['a', 'b'], 2);
      await lost?.ran;
      await family.take(other, ['a', 'b'], 1);
      await injectFault(() => lose(admin, server));
      // None is left, so there is room for a segment.
      await family.take(other, ['a', 'b'], script === 'installOfKeys' ? 27 : 30);
      await lost?.resend();
      await slow;
      // A process that remembers ids would refuse those below.
      await family.take(await family.open(server.url, small), ['a', 'b'], 3);
      for (const ids of family.issued.values()) expect(new Set(ids).size).toBe(ids.length);
      const ids = family.issued.get('a') ?? [];
      expect(Math.max(...ids), 'ids of a reply that was lost').toBeGreaterThan(ids.length);
      connected.disconnect();
    });
  }
});
