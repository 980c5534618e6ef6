import assert from 'node:assert/strict';
import { hostname, networkInterfaces } from 'node:os';
import type { Guarantees, Id } from '@ids/core';
import { type ConformanceCase, never, withGenerator, withTwoGenerators } from './conformance-case.js';
import { peersDuring } from './peers-during.js';

/** How often guarantees are read before any id is issued. */
const READS = 10;

export const guaranteeCases: readonly ConformanceCase[] = [
  {
    name: 'claims what its strategy claims, in frozen guarantees',
    skip: never,
    run: (subject) =>
      withTwoGenerators(subject, async (first, second) => {
        for (const generator of [first, second]) {
          const { guarantees } = generator;
          assert.deepEqual(guarantees, subject.guarantees, 'the generator claims something else');
          assertFixed(guarantees, 'guarantees');
          for (let read = 2; read <= READS; read++) {
            assert.deepEqual(generator.guarantees, guarantees, 'guarantees differ when they are read again');
          }
          await generator.next();
          await generator.nextBatch(3);
          assert.deepEqual(generator.guarantees, guarantees, 'guarantees differ once ids were issued');
          await generator.close();
          assert.deepEqual(generator.guarantees, guarantees, 'guarantees differ after close()');
        }
        assert.equal(typeof first.strategy, 'string');
        assert.equal(first.strategy, second.strategy, 'the name of the strategy');
      }),
  },
  {
    name: 'makes claims that agree with each other',
    skip: never,
    run: async ({ guarantees }) => {
      const { order, text, unique, maxIdsLost, maxIdsPerSecond } = guarantees;
      const kSorted = order.cluster === 'k-sorted';
      assert.equal(order.skewMs !== undefined, kSorted, 'skewMs is for k-sorted only');
      assert.ok(
        order.skewMs === undefined || order.skewMs >= 0,
        `skewMs must be 0 or more, got ${order.skewMs}`,
      );
      if (order.cluster === 'real-time') {
        assert.equal(unique, 'cluster', 'ids that increase in real time are unique in the cluster');
        assert.equal(
          order.process,
          'increasing',
          'ids that increase in the cluster increase in each process',
        );
      }
      assert.ok(Number.isSafeInteger(text.maxLength) && text.maxLength > 0, `maxLength: ${text.maxLength}`);
      const { prefix = '', minLength = prefix.length } = text;
      assert.ok(
        Number.isSafeInteger(minLength) && minLength >= prefix.length && minLength <= text.maxLength,
        `minLength must be from ${prefix.length} to ${text.maxLength}, got ${minLength}`,
      );
      assert.ok(
        maxIdsLost === undefined || (Number.isSafeInteger(maxIdsLost) && maxIdsLost >= 0),
        `maxIdsLost must be a whole number from 0, got ${maxIdsLost}`,
      );
      // A pattern with the flag g or y keeps `lastIndex`: every second test() by a user would be wrong.
      assert.doesNotMatch(
        text.pattern.flags,
        /[gy]/,
        `text.pattern keeps state between calls: ${text.pattern}`,
      );
      assert.ok(maxIdsPerSecond === undefined || maxIdsPerSecond > 0, `maxIdsPerSecond: ${maxIdsPerSecond}`);
    },
  },
  {
    name: 'connects to no backend that it does not name',
    skip: never,
    run: async (subject) => {
      const context = await subject.fresh();
      const peers = await peersDuring(() =>
        withGenerator(
          subject,
          async (generator) => {
            await generator.ready();
            await generator.nextBatch(2_000);
          },
          context,
        ),
      );
      const { backends } = subject.guarantees;
      for (const peer of peers) {
        const named = peer === 'unknown' ? backends.length > 0 : backends.includes(peer);
        assert.ok(named, `a generator that names ${backends.join(' and ') || 'no backend'} talks to ${peer}`);
      }
    },
  },
  {
    name: 'discloses nothing that it does not declare',
    skip: never,
    run: (subject) =>
      withGenerator(subject, async (generator) => {
        const found = foundDisclosures(await generator.nextBatch(100));
        for (const [what, where] of found) {
          assert.ok(
            subject.guarantees.discloses.includes(what),
            `ids disclose ${what}, not admitted: ${where}`,
          );
        }
      }),
  },
];

/** Frozen values only: an object with accessors can be frozen as well, and answer differently each time. */
function assertFixed(value: unknown, path: string): void {
  if (typeof value !== 'object' || value === null || value instanceof RegExp) return;
  assert.ok(Object.isFrozen(value), `${path} can be changed: freeze it, nested objects too`);
  for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    assert.ok('value' in property, `${path}.${key} is computed when it is read: it must be a plain property`);
    assertFixed(property.value, `${path}.${key}`);
  }
}

type Disclosure = Guarantees['discloses'][number];

/**
 * What anybody can read in these ids: plain text only, and only what appears in every one of them, to exclude
 * chance. It compares the ids with what this process knows about itself. It cannot find what is hashed or
 * packed into bits.
 */
function foundDisclosures(ids: readonly Id[]): Map<Disclosure, string> {
  const texts = ids.map((id) => String(id).toLowerCase());
  const found = new Map<Disclosure, string>();
  const inAll = (what: Disclosure, isIn: (text: string) => boolean): void => {
    if (texts.length > 0 && texts.every(isIn)) found.set(what, `${ids[0]}`);
  };

  const host = wholeWord(hostname().toLowerCase());
  inAll('host', (text) => host.test(text));

  const addresses = Object.values(networkInterfaces()).flatMap((cards) =>
    (cards ?? []).map((card) => card.address),
  );
  inAll('address', (text) => addresses.some((address) => text.includes(address)));

  const pid = wholeWord(String(process.pid));
  inAll('process', (text) => pid.test(text));

  const times = recentTimes();
  inAll('time', (text) => times.some((time) => text.includes(time)));

  if (isCounted(ids)) found.set('volume', `${ids[0]}, ${ids[1]}, ...`);
  return found;
}

/**
 * The leading digits of every time since this process started, in seconds, milliseconds or microseconds: ten
 * decimal digits, the eight hexadecimal digits of seconds, or the first eight of the eleven hexadecimal
 * digits of milliseconds.
 */
function recentTimes(): string[] {
  const texts = new Set<string>();
  const now = Date.now() + 1_000;
  for (let ms = now - process.uptime() * 1_000 - 2_000; ms <= now; ms += 500) {
    const seconds = Math.floor(ms / 1_000);
    texts
      .add(String(seconds))
      .add(seconds.toString(16))
      .add(Math.floor(ms / 4_096).toString(16));
  }
  return [...texts];
}

/** Otherwise short names and small numbers would match inside random text. */
function wholeWord(word: string): RegExp {
  return new RegExp(`(?<![0-9a-z])${word.replace(/\W/g, '\\$&')}(?![0-9a-z])`);
}

/** Whether one run of decimal digits increases by one and the rest stays the same: `n/9`, `n/10`. */
function isCounted(ids: readonly Id[]): boolean {
  const parts = ids.map((id) => String(id).split(/(\d+)/));
  const [first, second] = parts;
  if (first === undefined || second === undefined) return false;
  const counter = first.findIndex((part, index) => part !== second[index]);
  return parts.every((own, index) => {
    const before = parts[index - 1];
    return own.length === first.length && (before === undefined || isNext(before, own, counter));
  });
}

function isNext(before: readonly string[], own: readonly string[], counter: number): boolean {
  return own.every((part, place) => {
    if (place !== counter) return part === before[place];
    return /^\d+$/.test(part) && BigInt(part) === BigInt(before[place] ?? '') + 1n;
  });
}
