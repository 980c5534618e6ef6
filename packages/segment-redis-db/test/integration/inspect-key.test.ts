import { injectFault } from '@ids/local-services/fault-test';
import { describe, expect, inject, it } from 'vitest';
import { inspectKey, segmentRedisDb } from '../../src/index.js';
import { slotOf } from '../../src/keyed/slot.js';
import { clientOf, KeyedFamily } from '../support/keyed-family.js';

/** Has what is between fields of a record, and looks like the end of one. */
const KEY = 'group 42 0123456789abcdef 0123456789abcdef 9 9 1 1 - 0\n{x}';
const DAY_MS = 86_400_000;

function inspected({ name, keyPrefix }: KeyedFamily, key = KEY) {
  return inspectKey({ redis: clientOf(), name, key, keyPrefix });
}

describe('a key over Redis that is inspected', () => {
  it('is missing before its first call, and then shows what is left, which is not changed by that', async () => {
    const family = await KeyedFamily.create();
    const generator = await family.open();
    const record = family.recordOf(KEY);
    const named = { record, slot: slotOf('message') };
    const nothing = { state: 'missing', left: undefined, filledAt: undefined, expiresAt: undefined };
    expect(await inspected(family)).toMatchObject({ ...named, ...nothing, step: 0, highWaterMark: 0 });
    const before = Date.now();
    await generator.nextBatch(KEY, 3);
    const seen = await inspected(family);
    expect(seen).toMatchObject({
      ...named,
      ...{ state: 'dispensing', left: { low: 4, high: 20 }, highWaterMark: 20, step: 20 },
      ...{ refill: undefined, endsAt: undefined, expiresAt: undefined },
    });
    expect(Math.abs(Number(seen.filledAt) - before)).toBeLessThan(60_000);
    expect(await inspected(family)).toEqual(seen);
    expect(await generator.next(KEY)).toBe(4);
    expect(await inspected(family, 'other')).toMatchObject({ state: 'missing' });
  });

  it('tells when Redis forgets it, and does not keep it by that', async () => {
    const family = await KeyedFamily.create();
    await (await family.open(undefined, { idleMs: DAY_MS })).next(KEY);
    await clientOf().pexpire(family.recordOf(KEY), DAY_MS / 2);
    const { expiresAt } = await inspected(family);
    expect(Number(expiresAt) - Date.now()).toBeLessThan(DAY_MS / 2 + 60_000);
    expect(Number(expiresAt) - Date.now()).toBeGreaterThan(DAY_MS / 2 - 60_000);
  });

  it('tells when its day ends', async () => {
    const family = await KeyedFamily.create(inject('databaseUrl'), { by: 'day', timeZone: 'UTC' });
    await (await family.open()).next(KEY);
    const { state, endsAt } = await inspected(family);
    expect(state).toBe('dispensing');
    const midnight = Math.ceil(Date.now() / DAY_MS) * DAY_MS;
    expect(Math.abs(Number(endsAt) - midnight)).toBeLessThan(60_000);
    const record = String(await clientOf().get(family.recordOf(KEY)));
    await injectFault(() => clientOf().set(family.recordOf(KEY), record.replace(/\d+!$/, '1000!')));
    expect(await inspected(family)).toMatchObject({ state: 'over', endsAt: new Date(1_000) });
  });

  it('is void in another reign, without the hash of its family, and as a copy of another key', async () => {
    const family = await KeyedFamily.create();
    await (await family.open()).next(KEY);
    const client = clientOf();
    await client.copy(family.recordOf(KEY), family.recordOf('copy'));
    expect(await inspected(family, 'copy')).toMatchObject({ state: 'void', left: { low: 2, high: 20 } });
    const reign = String(await client.hget(family.recordOf(), 'e'));
    await injectFault(() => client.hset(family.recordOf(), 'e', 'of another server'));
    expect(await inspected(family)).toMatchObject({ state: 'void' });
    await client.hset(family.recordOf(), 'e', reign);
    expect(await inspected(family)).toMatchObject({ state: 'dispensing' });
    await injectFault(() => client.del(family.recordOf()));
    expect(await inspected(family)).toMatchObject({ state: 'void' });
  });

  it('is shown to people by its store, through a connection of its own or a client', async () => {
    const family = await KeyedFamily.create();
    await (await family.open()).next(KEY);
    const { name, keyPrefix, database } = family;
    for (const redis of [inject('redisUrl'), clientOf()]) {
      const options = { name, keyPrefix, database, redis, keyed: true, as: 'number' } as never;
      const parts = (await segmentRedisDb.store?.(options)?.keys?.inspectRecord?.(KEY)) ?? [];
      const shown = Object.fromEntries(parts.map(({ name: part, value }) => [part, value]));
      expect(shown).toEqual({
        record: family.recordOf(KEY),
        state: 'dispensing',
        left: '2..20',
        mark: '20',
        step: '20',
      });
    }
  });
});

describe('the slot of a name', () => {
  // 0x31c3 is the check value of CRC16/XMODEM; the package cluster-key-slot says the others.
  it.each([
    ['123456789', 0x31c3],
    ['foo', 12_182],
    ['ids:{foo}:{bar}', 12_182],
    ['{}foo', 9_500],
  ])('of %s is %i', (name, slot) => expect(slotOf(name)).toBe(slot));
});
