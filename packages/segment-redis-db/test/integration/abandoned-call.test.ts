import { uniqueName } from '@ids/local-services';
import { describe, expect, inject, it } from 'vitest';
import type { RedisLike } from '../../src/index.js';
import { Fixture } from '../support/fixture.js';

const url = inject('redisUrl');

/** A client whose next reply is held back on its way: the script has run by then. */
function holding(client: RedisLike) {
  let executed = (): void => {};
  let release = (): void => {};
  let held: Promise<void> | undefined;
  const redis: RedisLike = {
    eval: (...args) => client.eval(...args),
    pipeline: () => client.pipeline(),
    evalsha: async (...args) => {
      const reply = await client.evalsha(...args);
      executed();
      await held;
      return reply;
    },
  };
  const hold = (): Promise<void> => {
    held = new Promise((resolve) => {
      release = resolve;
    });
    return new Promise((resolve) => {
      executed = resolve;
    });
  };
  return { redis, hold, release: () => release() };
}

describe('an id whose caller has left while it was on its way', () => {
  it('goes to nobody who came later, since others have got greater ones meanwhile', async () => {
    await using fixture = new Fixture(uniqueName('abandoned'));
    const { redis, hold, release } = holding(fixture.client(url));
    const slow = await fixture.generator(url, { redis });
    const other = await fixture.generator(url);
    await Promise.all([slow.ready(), other.ready()]);

    const executed = hold();
    const left = new AbortController();
    const abandoned = slow.next({ signal: left.signal });
    await executed;
    left.abort('the caller left');
    await expect(abandoned).rejects.toBe('the caller left');

    const earlier = await other.next();
    const later = slow.next();
    release();
    expect(await later).toBeGreaterThan(earlier);
  });
});
