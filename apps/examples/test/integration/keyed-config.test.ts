import { defineConfig, openIds } from '@ids/config';
import { planSwap } from '@ids/config/swap';
import type { KeyedIdGenerator } from '@ids/core';
import { ensureKeyedSchema } from '@ids/keyed/sql';
import { uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { objectid } from '@ids/objectid';
import { createSequence, fromPgUrl } from '@ids/segment/sql';
import { segmentInproc } from '@ids/segment-inproc';
import { segmentRedisDb } from '@ids/segment-redis-db';
import { describe, expect, expectTypeOf, inject, it } from 'vitest';

const strategies = [objectid, segmentInproc, segmentRedisDb];

async function openService() {
  const [database, redis, table] = [inject('databaseUrl'), inject('redisUrl'), uniqueName('keyed')];
  const executor = await fromPgUrl(database);
  await ensureKeyedSchema(executor, { table });
  for (const name of ['message', 'fast', 'issue', 'order']) await createSequence(executor, name, { table });
  await executor.close();
  const keyed = { strategy: 'segment-inproc', order: 'real-time', keyed: true, table } as const;
  const config = defineConfig({
    database,
    redis,
    generators: {
      message: { ...keyed, require: { order: { cluster: 'real-time' }, type: 'number' } },
      fast: { strategy: 'segment-redis-db', keyed: true, table, keyPrefix: `${table}:` },
      issue: { ...keyed, encode: { prefix: 'PROJ-' } },
      order: { strategy: 'segment-inproc', table },
      event: { strategy: 'objectid' },
    },
  });
  return openIds({ strategies, config });
}

describe('keyed generators of a config', () => {
  it('issue ids by key, in the type and the form that the config says', async () => {
    await using ids = await openService();
    const message = ids.keyed('message');
    expectTypeOf(message).toExtend<KeyedIdGenerator<number>>();
    expect(await message.nextBatch('group:1', 2)).toEqual([1, 2]);
    expect(await message.next('group:2')).toBe(1);
    expect(await message.highest('group:1')).toBe(2);
    expect(await ids.keyed('fast', { type: 'number' }).next('group:1')).toBe(1);
    const issue = ids.keyed('issue');
    expectTypeOf(issue.next).returns.resolves.toEqualTypeOf<string>();
    expect([await issue.next('acme'), await issue.next('acme')]).toEqual(['PROJ-1', 'PROJ-2']);
    expect(await issue.highest('acme')).toBe('PROJ-2');
    expect(await issue.of('acme').nextBatch(2)).toEqual(['PROJ-3', 'PROJ-4']);
    expect(issue.decode('PROJ-4')).toBe(4);
    expect(await ids.get('order').next()).toBe(1);
    expect([Object.keys(ids.generators), Object.keys(ids.keyedGenerators)]).toEqual([
      ['order', 'event'],
      ['message', 'fast', 'issue'],
    ]);
  });

  it('are not read as one sequence, nor one sequence as keyed', async () => {
    await using ids = await openService();
    const { get, keyed } = ids as unknown as Record<
      'get' | 'keyed',
      (name: string, needs?: object) => unknown
    >;
    expect(() => get('message')).toThrow('read it with keyed("message")');
    expect(() => keyed('order')).toThrow('set "keyed": true, or read it with get("order")');
    expect(() => keyed('event')).toThrow(
      'objectid has no sequences by key; strategies that have: segment-inproc, segment-redis-db',
    );
    expect(() => keyed('message', { type: 'uuid' })).toThrow('segment-inproc does not fit');
    expect(() => keyed('messages')).toThrow('did you mean "message"?');
  });

  it('are refused where a strategy has no keys, or a need is not met within a key', async () => {
    const open = (generator: object) =>
      openIds({
        strategies,
        config: { database: inject('databaseUrl'), generators: { a: generator } } as never,
      });
    await expect(open({ strategy: 'objectid', keyed: true })).rejects.toThrow(
      'option "keyed": objectid has no sequences by key',
    );
    await expect(
      open({ strategy: 'segment-inproc', order: 'real-time', keyed: true, require: { sync: true } }),
    ).rejects.toMatchObject({ code: 'ERR_IDS_UNMET' });
    await expect(open({ strategy: 'segment-inproc', keyed: true })).rejects.toThrow(
      'option "keyed": needs "order": "real-time"',
    );
  });

  it('are swapped within one family only', async () => {
    await using ids = await openService();
    const side = (guarantees: typeof message.guarantees, sequence?: string) => ({ guarantees, sequence });
    const message = ids.keyed('message');
    const about = (...sides: Parameters<typeof planSwap>) =>
      planSwap(...sides).findings.find((finding) => finding.about === 'keys');
    const order = ids.get('order');
    expect(about(side(order.guarantees, 'a'), side(message.guarantees, 'a'))?.verdict).toBe('danger');
    expect(about(side(message.guarantees, 'a'), side(order.guarantees, 'a'))?.verdict).toBe('danger');
    expect(about(side(message.guarantees, 'a'), side(ids.keyed('fast').guarantees, 'b'))?.verdict).toBe(
      'danger',
    );
    expect(about(side(message.guarantees, 'a'), side(ids.keyed('fast').guarantees, 'a'))).toBeUndefined();
  });
});
