import { uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { createSequence, ensureSchema, fromPgUrl } from '@ids/segment/sql';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { startOrderService } from '../../src/order-service.js';
import { configFolder } from '../support/config-folder.js';
import { Deployment } from '../support/deployment.js';

const [redis, database] = [inject('redisUrl'), inject('databaseUrl')];
const table = uniqueName('swap');
const keyPrefix = `${table}:`;

/** What an id looks like, so that a swap that did not happen is noticed. */
const looks = {
  objectid: /^[0-9a-f]{24}$/,
  uuid7: /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  gpid: /^127\.0\.0\.1:8080:/,
  'segment-inproc': /^[1-9][0-9]*$/,
  'segment-redis-db': /^[1-9][0-9]*$/,
};
type Strategy = keyof typeof looks;

/** The generator's part of the config file, for each strategy. Nothing else changes. */
const orders = {
  objectid: { strategy: 'objectid' },
  uuid7: { strategy: 'uuid7' },
  gpid: { strategy: 'gpid', port: 8080, address: '127.0.0.1' },
  'segment-inproc': { strategy: 'segment-inproc', table },
  'segment-redis-db': { strategy: 'segment-redis-db', table, keyPrefix },
};
const configWith = (order: object) => ({ redis, database, generators: { order } });

/**
 * Each strategy, and swaps both ways between the two that share a sequence. With
 * IDS_FULL=1, every ordered pair.
 */
const quick: readonly Strategy[] = [
  'objectid',
  'uuid7',
  'gpid',
  'segment-inproc',
  'segment-redis-db',
  'segment-inproc',
];
const full: readonly Strategy[] = [
  ...quick,
  'gpid',
  'segment-redis-db',
  'gpid',
  'objectid',
  'segment-inproc',
  'objectid',
  'segment-redis-db',
  'objectid',
];

beforeAll(async () => {
  const executor = await fromPgUrl(database);
  await ensureSchema(executor, { table });
  await createSequence(executor, 'order', { table });
  await executor.close();
});

describe('a service that asks for order ids', () => {
  it('runs with each strategy, and repeats no id in swaps under load, by a change of its config file only', async () => {
    const [first, ...others] = process.env.IDS_FULL === '1' ? full : quick;
    if (first === undefined) throw new Error('there is a strategy to begin with');
    await using folder = await configFolder(configWith(orders[first]));
    await using deployment = await Deployment.start(folder.cwd, { processes: 2, clients: 4 });
    const phases = [{ strategy: first, begun: 0 }];
    await deployment.served(500);

    for (const strategy of others) {
      await folder.write(configWith(orders[strategy]));
      await deployment.restartInTurn();
      phases.push({ strategy, begun: deployment.ids.length });
      await deployment.served(500);
    }
    await deployment.stop();

    const { ids } = deployment;
    expect(repeated(ids)).toEqual([]);
    for (const [index, { strategy, begun }] of phases.entries()) {
      // Until the next swap begins there are this many at least.
      const own = ids.slice(begun, begun + 500);
      expect(own).toHaveLength(500);
      expect(
        own.filter((id) => !looks[strategy].test(id)),
        `phase ${index}, ${strategy}`,
      ).toEqual([]);
    }
  });

  it('is told at start when a swap would break what it needs', async () => {
    const require = { order: { cluster: 'real-time' }, type: 'number' };
    await using fitting = await configFolder(configWith({ ...orders['segment-redis-db'], require }));
    await using unfit = await configFolder(configWith({ ...orders.objectid, require }));
    await using _service = await startOrderService({ cwd: fitting.cwd, environment: {}, host: '127.0.0.1' });
    await expect(startOrderService({ cwd: unfit.cwd, environment: {} })).rejects.toMatchObject({
      code: 'ERR_IDS_UNMET',
      message: expect.stringMatching(/^generators\.order: objectid .*real-time.*number.* segment-redis-db$/),
    });
  });
});

function repeated(ids: readonly string[]): string[] {
  const sorted = ids.toSorted();
  return sorted.filter((id, index) => id === sorted[index - 1]);
}
