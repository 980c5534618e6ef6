import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect } from 'vitest';
import { clientOf, KeyedFamily, SKIP } from '../support/keyed-family.js';

describe('keys whose rows were lost, because a backup was restored', () => {
  for (const memory of ['remembers', 'forgot']) {
    faultTest(`repeat no id of records that Redis still has, to a process that ${memory}`, async () => {
      const family = await KeyedFamily.create();
      const generator = await family.open();
      await family.take(generator, ['known'], 20);
      const restore = await family.dump();
      await family.take(generator, ['known'], 20);
      await family.take(generator, ['born'], 20);
      await restore();
      // The record has no ids left, so the rows are asked, which have never heard of some of them.
      await family.take(memory === 'remembers' ? generator : await family.open(), ['known', 'born'], 20);
      for (const ids of family.issued.values()) expect(new Set(ids).size).toBe(ids.length);
      expect(family.issued.get('known')?.at(-20)).toBeGreaterThan(40);
      expect(family.issued.get('born')?.at(-20)).toBeGreaterThan(20);
      expect(family.eventsOf('new-reign')).toEqual([expect.objectContaining({ cause: 'restore' })]);
    });

    faultTest(`repeat no id if Redis lost its records too, to a process that ${memory}`, async () => {
      const family = await KeyedFamily.create();
      const generator = await family.open();
      await family.take(generator, ['known'], 20);
      const restore = await family.dump();
      await family.take(generator, ['known', 'born'], 20);
      await restore();
      await injectFault(() =>
        clientOf().del(family.recordOf(), family.recordOf('known'), family.recordOf('born')),
      );
      await family.take(memory === 'remembers' ? generator : await family.open(), ['known', 'born'], 20);
      for (const ids of family.issued.values()) expect(new Set(ids).size).toBe(ids.length);
      expect(family.issued.get('known')?.at(-20)).toBeGreaterThan(40);
      expect(family.issued.get('born')?.at(-20)).toBeGreaterThan(20);
      expect(family.eventsOf('new-reign')).toEqual([expect.objectContaining({ cause: 'restore' })]);
    });
  }

  faultTest('are raised above the mark in Redis, if more was lost than is skipped', async () => {
    const family = await KeyedFamily.create();
    const generator = await family.open(undefined, { minStep: 1_000, maxStep: 1_000 });
    const restore = await family.dump();
    await family.take(generator, ['a'], 1_000);
    await restore();
    const other = await family.open();
    await family.take(other, ['a'], 20);
    expect(family.issued.get('a')?.at(-20)).toBe(1_000 + SKIP + 1);
    expect(family.eventsOf('regression')).toEqual([expect.objectContaining({ key: 'a', floor: 1_000 })]);
    // Also when Redis knows nothing any more.
    await injectFault(() => clientOf().del(family.recordOf(), family.recordOf('a')));
    await family.take(await family.open(), ['a'], 20);
    family.expectSound(1_040);
  });
});
