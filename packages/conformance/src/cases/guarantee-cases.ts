import assert from 'node:assert/strict';
import { type ConformanceCase, never } from './conformance-case.js';
import { foundDisclosures } from './found-disclosures.js';
import { peersDuring } from './peers-during.js';
import { withGenerator, withTwoGenerators } from './with-generator.js';

export const guaranteeCases: readonly ConformanceCase[] = [
  {
    name: 'claims what its strategy claims, unchangeably',
    skip: never,
    run: (subject) =>
      withTwoGenerators(subject, async (first, second) => {
        for (const { guarantees } of [first, second]) {
          assert.deepEqual(guarantees, subject.guarantees, 'the generator claims something else');
          assertFrozen(guarantees, 'guarantees');
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
      assert.equal(order.skewMs !== undefined, kSorted, 'skewMs belongs to k-sorted and to nothing else');
      assert.ok(
        order.skewMs === undefined || order.skewMs >= 0,
        `skewMs must be from 0, got ${order.skewMs}`,
      );
      if (order.cluster === 'real-time') {
        assert.equal(unique, 'cluster', 'ids that rise in real time are unique in the cluster');
        assert.equal(order.process, 'increasing', 'ids that rise in the cluster rise in each process');
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
      // A pattern with g or y remembers where it stopped: every second test() of a user would be wrong.
      assert.doesNotMatch(text.pattern.flags, /[gy]/, `text.pattern has a memory: ${text.pattern}`);
      assert.ok(maxIdsPerSecond === undefined || maxIdsPerSecond > 0, `maxIdsPerSecond: ${maxIdsPerSecond}`);
    },
  },
  {
    name: 'talks to no backend that it does not name',
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
    name: 'discloses nothing that it does not admit',
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

function assertFrozen(value: unknown, path: string): void {
  if (typeof value !== 'object' || value === null || value instanceof RegExp) return;
  assert.ok(Object.isFrozen(value), `${path} can be changed: freeze it, nested objects too`);
  for (const [key, member] of Object.entries(value)) {
    assertFrozen(member, `${path}.${key}`);
  }
}
