import { startRedis } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, it } from 'vitest';
import type { SegmentRedisDbEvent } from '../../src/index.js';
import { Fixture } from '../support/fixture.js';

/** A generator that has given ten ids of a segment of a thousand, and its events so far, refills apart. */
async function dispensing(fixture: Fixture, url: string) {
  const events: SegmentRedisDbEvent[] = [];
  const onEvent = (event: SegmentRedisDbEvent) => {
    if (event.type !== 'refill') events.push(event);
  };
  const generator = await fixture.generator(url, { onEvent });
  await generator.ready();
  await generator.nextBatch(10);
  return { generator, events };
}

describe('the events of a dispenser', () => {
  it('are none when a sequence begins', async () => {
    await using fixture = new Fixture('ids:');
    await using server = await startRedis();
    const { events } = await dispensing(fixture, server.url);
    expect(events).toEqual([]);
  });

  faultTest('tell that the hash was missing, and that callers had to wait for the next segment', async () => {
    await using fixture = new Fixture('ids:');
    await using server = await startRedis();
    const { generator, events } = await dispensing(fixture, server.url);
    await injectFault(() => fixture.client(server.url).flushall());
    await generator.nextBatch(5);
    expect(events).toEqual([
      { type: 'void', name: 'order', reason: 'missing', dropped: 0, message: expect.any(String) },
      { type: 'debt', name: 'order', ids: 5 },
    ]);
  });

  faultTest('tell that another reign wrote the hash, and what it left', async () => {
    await using fixture = new Fixture('ids:');
    await using server = await startRedis();
    const { generator, events } = await dispensing(fixture, server.url);
    await fixture.client(server.url).save();
    await injectFault(async () => {
      await server.kill();
      await server.restart();
    });
    await generator.next();
    expect(events[0]).toMatchObject({ type: 'void', reason: 'reign', dropped: 990 });
  });

  faultTest('tell that the hash would give what was given before', async () => {
    await using fixture = new Fixture('ids:');
    await using server = await startRedis();
    const { generator, events } = await dispensing(fixture, server.url);
    await injectFault(() => fixture.client(server.url).hset(fixture.key, 'v_l', 5));
    expect(await generator.next()).toBeGreaterThan(10);
    expect(events[0]).toMatchObject({ type: 'void', reason: 'back', dropped: 996 });
  });
});
