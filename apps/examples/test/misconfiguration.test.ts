import { planGenerators } from '@ids/config';
import { gpid } from '@ids/gpid';
import { objectid } from '@ids/objectid/machine-pid';
import { segmentInproc } from '@ids/segment-inproc';
import { segmentRedisDb } from '@ids/segment-redis-db';
import { describe, expect, it } from 'vitest';

const strategies = [objectid, gpid, segmentInproc, segmentRedisDb];
const DATABASE = 'postgres://ids:hunter2hunter2@db/ids';

/** The strategies' own options; what is wrong around them is tested where the config is read. */
const wrong: readonly [config: object, message: string][] = [
  [
    { generators: { order: { strategy: 'segment-inproc' } } },
    'generators.order: segment-inproc: give "database" (a postgres://, mysql:// or sqlite: URL, or a pool of pg or mysql2) or "source" (a SegmentSource)',
  ],
  [
    {
      database: 'mongodb://ids:hunter2hunter2@db/ids',
      generators: { order: { strategy: 'segment-inproc' } },
    },
    'generators.order: segment-inproc: option "database": must be a postgres://, postgresql://, mysql:// or mariadb:// URL, a libsql:// URL, or sqlite: with the path of a file, such as sqlite:ids.db, got one with "mongodb://db"',
  ],
  [
    { database: DATABASE, generators: { order: { strategy: 'segment-inproc', minStep: 10, maxStep: 5 } } },
    'generators.order: segment-inproc: option "minStep": must be at most "maxStep", got 10 with a "maxStep" of 5',
  ],
  [
    { database: DATABASE, generators: { order: { strategy: 'segment-inproc', minStep: 0 } } },
    'generators.order: segment-inproc: option "minStep": must be a whole number from 1 to 1000000000, got 0',
  ],
  [
    { database: DATABASE, generators: { order: { strategy: 'segment-inproc', as: 'uuid' } } },
    'generators.order: segment-inproc: option "as": must be "number", "bigint" or "string", got "uuid"',
  ],
  [
    { database: DATABASE, generators: { 'a{b}': { strategy: 'segment-inproc' } } },
    'generators.a{b}: segment-inproc: option "name": must be 1 to 255 characters, no control characters, no braces, got "a{b}"',
  ],
  [
    { database: DATABASE, redis: 'http://r', generators: { order: { strategy: 'segment-redis-db' } } },
    'generators.order: segment-redis-db: option "redis": must be a redis:// or rediss:// URL, or a client of ioredis or of node-redis 5 or later',
  ],
  [
    { generators: { order: { strategy: 'gpid' } } },
    'generators.order: gpid: option "port": must be a whole number from 0 to 65535, 0 for no listening port, got undefined',
  ],
  [
    { generators: { order: { strategy: 'gpid', port: 70_000 } } },
    'generators.order: gpid: option "port": must be a whole number from 0 to 65535, 0 for no listening port, got 70000',
  ],
  [
    { generators: { order: { strategy: 'gpid', port: 0, encode: { as: 'base62' } } } },
    'generators.order: encode: "as": these ids are not numbers, so only "prefix" can be used',
  ],
  [
    { generators: { order: { strategy: 'objectid', machine: 'a1b2c3' } } },
    'generators.order: objectid: option "machine": only for layout "machine-pid": layout "random" contains no machine',
  ],
  [
    { generators: { order: { strategy: 'objectid', encode: { as: 'base62', width: 16 } } } },
    'generators.order: encode: option "width": these ids need at least 17 digits, got 16',
  ],
  [
    { generators: { order: { strategy: 'objectid', require: { order: { cluster: 'real-time' } } } } },
    'generators.order: objectid does not fit: order across processes: needs real-time, offers k-sorted. Would fit: segment-redis-db',
  ],
  [
    { generators: { order: { strategy: 'gpid', port: 0, require: { discloses: ['time', 'volume'] } } } },
    'generators.order: gpid does not fit: disclosure: needs at most time and volume, offers time and volume and address and process. ' +
      'Would fit: objectid, segment-inproc, segment-redis-db',
  ],
  [
    {
      database: DATABASE,
      generators: { order: { strategy: 'segment-inproc', require: { offline: true, type: 'string' } } },
    },
    'generators.order: segment-inproc does not fit: id type: needs string, offers number; offline: needs no backend, offers sql. Would fit: objectid',
  ],
];

describe('a wrong config of the four strategies', () => {
  it.each(wrong)('%j is told exactly', (config, message) => {
    const plan = (): unknown => planGenerators(strategies, config);
    expect(plan).toThrow(expect.objectContaining({ message }));
    expect(message).not.toContain('hunter2');
  });
});
