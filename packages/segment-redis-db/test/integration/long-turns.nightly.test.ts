import { uniqueName } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { describe, expect, inject } from 'vitest';
import { Fixture } from '../support/fixture.js';

/** Milliseconds: longer than a call of Redis may take. */
const TURN_MS = 1_300;

/**
 * Makes each turn of the event loop `TURN_MS` long, between the reading of sockets and
 * the timers, until `stop`.
 */
class LongTurns {
  turns = 0;
  #stopped = false;

  start(): void {
    setImmediate(() => {
      if (this.#stopped) return;
      const end = performance.now() + TURN_MS;
      while (performance.now() < end);
      this.turns += 1;
      this.start();
    });
  }

  stop(): void {
    this.#stopped = true;
  }
}

/** Three ids, asked for one after another; throws when one does not come within as many turns. */
async function threeIds(
  next: () => Promise<number>,
  busy: LongTurns,
  enoughTurns: number,
): Promise<number[]> {
  const ids: number[] = [];
  for (let asked = 0; asked < 3; asked++) {
    const late = busy.turns + enoughTurns;
    let settled = false;
    const call = next().finally(() => {
      settled = true;
    });
    while (!settled && busy.turns < late) await new Promise(setImmediate);
    expect(settled, `a call is served within ${enoughTurns} turns of the event loop`).toBe(true);
    ids.push(await call);
  }
  return ids;
}

describe('a process whose turns of the event loop are longer than the limit of a call', () => {
  faultTest('gets every id of a Redis that is well, and loses none', async () => {
    await using fixture = new Fixture(uniqueName('turns'));
    const generator = await fixture.generator(inject('redisUrl'), { deadlineMs: 60_000 });
    await generator.ready();
    const busy = new LongTurns();
    await injectFault(() => busy.start());
    try {
      expect(await threeIds(() => generator.next(), busy, 4)).toEqual([1, 2, 3]);
    } finally {
      busy.stop();
    }
    expect(busy.turns, 'long turns').toBeGreaterThan(0);
  });

  faultTest('also when each call takes two replies, because Redis lost its scripts', async () => {
    await using fixture = new Fixture(uniqueName('turns'));
    const generator = await fixture.generator(inject('redisUrl'), { deadlineMs: 60_000 });
    const client = fixture.client(inject('redisUrl'));
    await generator.ready();
    const busy = new LongTurns();
    await injectFault(() => busy.start());
    const next = async (): Promise<number> => {
      await client.script('FLUSH');
      return generator.next();
    };
    try {
      expect(await threeIds(next, busy, 8)).toEqual([1, 2, 3]);
    } finally {
      busy.stop();
    }
    expect(busy.turns, 'long turns').toBeGreaterThan(0);
  });
});
