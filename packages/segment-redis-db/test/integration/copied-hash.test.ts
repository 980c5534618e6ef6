import { uniqueName } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type { Redis } from 'ioredis';
import { describe, expect, inject } from 'vitest';
import { Fixture, fault } from '../support/fixture.js';
import { MUTANTS } from '../support/mutant.js';

const url = inject('redisUrl');

/** Ways in which a hash gets to a second key. */
const copies = {
  COPY: (redis: Redis, from: string, to: string) => redis.call('COPY', from, to),
  'DUMP and RESTORE': async (redis: Redis, from: string, to: string) =>
    redis.restore(to, 0, await redis.dumpBuffer(from)),
  'RENAME and COPY back': async (redis: Redis, from: string, to: string) => {
    await redis.rename(from, to);
    await redis.call('COPY', to, from);
  },
};

/** Two fleets over one row, each with a prefix: what they get in turn, before and after the copy. */
async function play(fixture: Fixture, copy: (typeof copies)[keyof typeof copies]): Promise<number[]> {
  const other = `${fixture.keyPrefix}copy:`;
  const given = await fixture.take(url, 5);
  await injectFault(() => copy(fixture.client(url), fixture.key, `${other}{order}`));
  for (const keyPrefix of [fixture.keyPrefix, other, fixture.keyPrefix, other]) {
    given.push(...(await fixture.take(url, 5, { keyPrefix })));
  }
  return given.sort((a, b) => a - b);
}

describe.each(Object.entries(copies))('a hash that %s brought under another prefix', (_name, copy) => {
  faultTest('issues nothing that the first hash issues', async () => {
    await using fixture = new Fixture(uniqueName('copied'));
    expect(fault(await play(fixture, copy))).toBeUndefined();
    expect(fixture.voids).toEqual(['reign']);
  });

  faultTest('would issue the same ids, if the fence did not contain the key', async () => {
    await using fixture = new Fixture(uniqueName('copied'), MUTANTS.noKeyInFence);
    expect(fault(await play(fixture, copy))).toMatch(/given twice/);
  });
});
