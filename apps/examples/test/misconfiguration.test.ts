import { planGenerators } from '@ids/config';
import { gpid } from '@ids/gpid';
import { objectid } from '@ids/objectid/machine-pid';
import { segmentInproc } from '@ids/segment-inproc';
import { segmentRedisDb } from '@ids/segment-redis-db';
import { describe, expect, it } from 'vitest';

const strategies = [objectid, gpid, segmentInproc, segmentRedisDb];
const DATABASE = 'postgres://ids:hunter2hunter2@db/ids';

/** The strategies' own options; what is wrong around them is tested where the config is read. */
const wrong: readonly [config: object, beginning: string][] = [
  [
    { generators: { order: { strategy: 'segment-inproc' } } },
    'generators.order: segment-inproc: give "database"',
  ],
  [
    {
      database: 'mongodb://ids:hunter2hunter2@db/ids',
      generators: { order: { strategy: 'segment-inproc' } },
    },
    'generators.order: segment-inproc: option "database"',
  ],
  [
    { database: DATABASE, generators: { order: { strategy: 'segment-inproc', minStep: 10, maxStep: 5 } } },
    'generators.order: segment-inproc: option "minStep"',
  ],
  [
    { database: DATABASE, generators: { order: { strategy: 'segment-inproc', minStep: 0 } } },
    'generators.order: segment-inproc: option "minStep"',
  ],
  [
    { database: DATABASE, generators: { order: { strategy: 'segment-inproc', as: 'uuid' } } },
    'generators.order: segment-inproc: option "as"',
  ],
  [
    { database: DATABASE, generators: { 'a{b}': { strategy: 'segment-inproc' } } },
    'generators.a{b}: segment-inproc: option "name"',
  ],
  [
    { database: DATABASE, redis: 'http://r', generators: { order: { strategy: 'segment-redis-db' } } },
    'generators.order: segment-redis-db: option "redis"',
  ],
  [{ generators: { order: { strategy: 'gpid' } } }, 'generators.order: gpid: option "port"'],
  [{ generators: { order: { strategy: 'gpid', port: 70_000 } } }, 'generators.order: gpid: option "port"'],
  [
    { generators: { order: { strategy: 'gpid', port: 0, encode: { as: 'base62' } } } },
    'generators.order: encode: "as"',
  ],
  [
    { generators: { order: { strategy: 'objectid', machine: 'a1b2c3' } } },
    'generators.order: objectid: option "machine"',
  ],
  [
    { generators: { order: { strategy: 'objectid', encode: { as: 'base62', width: 16 } } } },
    'generators.order: encode: option "width"',
  ],
  [
    { generators: { order: { strategy: 'objectid', require: { order: { cluster: 'real-time' } } } } },
    'generators.order: objectid ',
  ],
  [
    { generators: { order: { strategy: 'gpid', port: 0, require: { discloses: ['time', 'volume'] } } } },
    'generators.order: gpid ',
  ],
  [
    {
      database: DATABASE,
      generators: { order: { strategy: 'segment-inproc', require: { offline: true, type: 'string' } } },
    },
    'generators.order: segment-inproc ',
  ],
];

describe('a wrong config of the four strategies', () => {
  it.each(wrong)('%j is told with the option', (config, beginning) => {
    const plan = (): unknown => planGenerators(strategies, config);
    expect(plan).toThrow(expect.objectContaining({ message: expect.stringContaining(beginning) }));
    expect(plan).not.toThrow('hunter2');
  });
});
