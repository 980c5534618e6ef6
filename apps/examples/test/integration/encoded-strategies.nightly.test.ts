import { type GeneratorConfig, planGenerators } from '@ids/config';
import { runConformance } from '@ids/conformance';
import type { Id } from '@ids/core';
import { gpid } from '@ids/gpid';
import { uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { objectid } from '@ids/objectid';
import { createSequence, ensureSchema, fromPgUrl } from '@ids/segment/sql';
import { segmentInproc } from '@ids/segment-inproc';
import { segmentRedisDb } from '@ids/segment-redis-db';
import { parseUuid7, uuid7 } from '@ids/uuid7';
import { describe, inject, it } from 'vitest';

const [redis, database] = [inject('redisUrl'), inject('databaseUrl')];
const strategies = [objectid, uuid7, gpid, segmentInproc, segmentRedisDb];

const segments = { minStep: 1_000, maxStep: 100_000 };

/**
 * Strategies that are not the numbers of process memory, in texts of another form. With
 * IDS_FULL=1, all of them.
 */
const quick: readonly GeneratorConfig[] = [
  { strategy: 'uuid7', encode: { form: 'typeid', prefix: 'order' } },
  { strategy: 'segment-redis-db', ...segments, encode: { as: 'base62', width: 11, prefix: 'ord_' } },
];
const full: readonly GeneratorConfig[] = [
  { strategy: 'uuid7', encode: { form: 'ulid' } },
  { strategy: 'objectid', encode: { as: 'crockford', prefix: 'ord_', check: true } },
  { strategy: 'segment-inproc', ...segments, as: 'bigint', encode: { as: 'hex', width: 14 } },
  { strategy: 'segment-inproc', ...segments, as: 'string', encode: { as: 'decimal', width: 16 } },
];

const skippedNumbers = (before: Id, id: Id) => BigInt(id) - BigInt(before) - 1n;

/** The counter goes on from one second to the next, and runs over. */
function skippedObjectIds(before: Id, id: Id): bigint {
  const [left = 0n, right = 0n] = [before, id].map((own) => BigInt(`0x${String(own).slice(18)}`));
  return (right - left - 1n) & 0xff_ffffn;
}

/** The counter begins anew in each millisecond. */
function skippedUuids(before: Id, id: Id): bigint {
  const [first, second] = [parseUuid7(String(before)), parseUuid7(String(id))];
  return first.ms === second.ms ? BigInt(second.counter - first.counter - 1) : 0n;
}

const SKIPPED: Readonly<Record<string, (before: Id, id: Id) => bigint>> = {
  objectid: skippedObjectIds,
  uuid7: skippedUuids,
};

for (const order of process.env.IDS_FULL === '1' ? [...quick, ...full] : quick) {
  const config = { redis, database, generators: { order } };
  const plan = planGenerators(strategies, config).get('order');
  if (plan?.codec === undefined) throw new Error('the config has this generator, and encodes its ids');
  const { decode } = plan.codec;
  const skipped = SKIPPED[order.strategy] ?? skippedNumbers;
  runConformance(
    {
      name: `${order.strategy} with ${JSON.stringify(order.encode)}`,
      module: new URL('../support/encoded-subject.ts', import.meta.url),
      guarantees: plan.guarantees,
      skipped: (before, id) => skipped(decode(String(before)), decode(String(id))),
      fresh: async () => {
        if (plan.options.database === undefined) return config;
        const table = uniqueName('encoded');
        const executor = await fromPgUrl(database, { max: 1 });
        try {
          await ensureSchema(executor, { table });
          await createSequence(executor, 'order', { table });
        } finally {
          await executor.close();
        }
        const own = plan.options.redis === undefined ? { table } : { table, keyPrefix: `${table}:` };
        return { ...config, generators: { order: { ...order, ...own } } };
      },
    },
    { describe, it },
  );
}
