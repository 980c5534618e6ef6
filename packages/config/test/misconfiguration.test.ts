import { isIdError } from '@ids/core';
import { describe, expect, it } from 'vitest';
import { planGenerators } from '../src/index.js';
import { local, sharedStrategy } from './support.js';

const DATABASE = 'postgres://ids:hunter2hunter2@db/ids';
const KEY = '00112233445566778899aabbccddeeff';

const wrongConfigs: readonly [config: unknown, message: string][] = [
  [null, 'ids.config: must be an object with "generators", got null'],
  [[], 'ids.config: must be an object with "generators", got an array'],
  ['x', 'ids.config: must be an object with "generators", got "x"'],
  [{}, 'generators: is required, and must be an object of generators by name'],
  [{ generators: [] }, 'generators: must be an object of generators by name, got an array'],
  [{ generators: {} }, 'generators: must contain at least one generator, unless there are series'],
  [
    { generatrs: {}, generators: { a: { strategy: 'local' } } },
    'ids.config: unknown key "generatrs" (did you mean "generators"? known: $schema, redis, database, logLevel, generators, series)',
  ],
  [
    { generators: { a: { strategy: 'local' } }, databse: DATABASE },
    'ids.config: unknown key "databse" (did you mean "database"? known: $schema, redis, database, logLevel, generators, series)',
  ],
  [
    { generators: { order: { strategy: 'shared' } } },
    [
      'generators.order: shared: option "redis": is required',
      'generators.order: shared: option "database": is required',
    ].join('\n'),
  ],
  [
    {
      generators: {
        event: { strategy: 'locl' },
        log: { strategy: 'local', prefx: 'x' },
        order: { strategy: 'shared', redis: 'r', require: { sync: 1 } },
        t: { strategy: 'local', require: { type: 'bigint' } },
      },
    },
    [
      'generators.event: unknown strategy "locl" (did you mean "local"? known: local, shared)',
      'generators.log: local: unknown option "prefx" (did you mean "prefix"? known: prefix)',
      'generators.order.require.sync: must be true or false, got 1',
      'generators.order: shared: option "database": is required',
      'generators.t: local does not fit: id type: needs bigint, offers string. Would fit: none of the strategies that were passed',
    ].join('\n'),
  ],
];

/** In a config that gives both backends. */
const wrongGenerators: readonly [generator: unknown, message: string][] = [
  [null, 'generators.order: must be an object with a "strategy", got null'],
  ['local', 'generators.order: must be an object with a "strategy", got "local"'],
  [{}, 'generators.order.strategy: is required: the name of a strategy'],
  [{ strategy: 5 }, 'generators.order.strategy: must be the name of a strategy, got 5'],
  [
    { strategy: 'locl' },
    'generators.order: unknown strategy "locl" (did you mean "local"? known: local, shared)',
  ],
  [
    { strategy: DATABASE },
    'generators.order: unknown strategy "postgres://***@db/ids" (known: local, shared)',
  ],
  [
    { strategy: 'local', prefx: 'x' },
    'generators.order: local: unknown option "prefx" (did you mean "prefix"? known: prefix)',
  ],
  [{ strategy: 'local', minStep: 5 }, 'generators.order: local: unknown option "minStep" (known: prefix)'],
  [{ strategy: 'local', require: [] }, 'generators.order.require: must be an object, got an array'],
  [{ strategy: 'local', require: 'cluster' }, 'generators.order.require: must be an object, got "cluster"'],
  [
    { strategy: 'local', require: { uniq: 'cluster' } },
    'generators.order.require: unknown key "uniq" (did you mean "unique"? known: unique, order, type, maxLength, sync, offline, maxIdsLost, discloses, reveals)',
  ],
  [
    { strategy: 'local', require: { unique: 'galaxy' } },
    'generators.order.require.unique: must be one of "process", "cluster", got "galaxy"',
  ],
  [
    { strategy: 'local', require: { order: 'real-time' } },
    'generators.order.require.order: must be an object, got "real-time"',
  ],
  [
    { strategy: 'local', require: { order: { clustr: 'none' } } },
    'generators.order.require.order: unknown key "clustr" (did you mean "cluster"? known: process, cluster)',
  ],
  [
    { strategy: 'local', require: { order: { cluster: 'sorted' } } },
    'generators.order.require.order.cluster: must be one of "none", "k-sorted", "real-time", got "sorted"',
  ],
  [
    { strategy: 'local', require: { order: { process: 'yes' } } },
    'generators.order.require.order.process: must be one of "none", "increasing", got "yes"',
  ],
  [
    { strategy: 'local', require: { type: 'ulid' } },
    'generators.order.require.type: must be one of "string", "number", "bigint", "uuid", got "ulid"',
  ],
  [
    { strategy: 'local', require: { sync: 'yes' } },
    'generators.order.require.sync: must be true or false, got "yes"',
  ],
  [
    { strategy: 'local', require: { offline: 1 } },
    'generators.order.require.offline: must be true or false, got 1',
  ],
  [
    { strategy: 'local', require: { maxLength: 0 } },
    'generators.order.require.maxLength: must be a whole number from 1, got 0',
  ],
  [
    { strategy: 'local', require: { maxIdsLost: -1 } },
    'generators.order.require.maxIdsLost: must be a whole number from 0, got -1',
  ],
  [
    { strategy: 'local', require: { maxIdsLost: '100' } },
    'generators.order.require.maxIdsLost: must be a whole number from 0, got "100"',
  ],
  [
    { strategy: 'local', require: { discloses: 'time' } },
    'generators.order.require.discloses: must be a list of "time", "volume", "host", "address", "process", [] for none, got "time"',
  ],
  [
    { strategy: 'local', require: { discloses: ['mac'] } },
    'generators.order.require.discloses.0: must be one of "time", "volume", "host", "address", "process", got "mac"',
  ],
  [{ strategy: 'local', encode: 'base62' }, 'generators.order.encode: must be an object, got "base62"'],
  [
    { strategy: 'local', encode: {} },
    'generators.order.encode: set "as", "form" or "prefix", or remove "encode"',
  ],
  [
    { strategy: 'local', encode: { as: 'base64' } },
    'generators.order.encode.as: must be one of "decimal", "hex", "base62", "crockford", got "base64"',
  ],
  [
    { strategy: 'shared', encode: { as: 'hex', widht: 5 } },
    'generators.order.encode: unknown key "widht" (did you mean "width"? known: as, form, width, prefix, check, obfuscate, key, version)',
  ],
  [
    { strategy: 'shared', encode: { as: 'hex', width: 65 } },
    'generators.order.encode.width: must be a whole number from 1 to 64, got 65',
  ],
  [
    { strategy: 'shared', encode: { prefix: '' } },
    'generators.order.encode.prefix: must be 1 to 32 printable ASCII characters without white space, got ""',
  ],
  [
    { strategy: 'shared', encode: { prefix: 'a b' } },
    'generators.order.encode.prefix: must be 1 to 32 printable ASCII characters without white space, got "a b"',
  ],
  [
    { strategy: 'shared', encode: { prefix: '', width: 4 } },
    'generators.order.encode.prefix: must be 1 to 32 printable ASCII characters without white space, got ""',
  ],
  [
    { strategy: 'shared', encode: { as: 'hex', check: 1 } },
    'generators.order.encode.check: must be true or false, got 1',
  ],
  [
    { strategy: 'shared', encode: { prefix: 'x', width: 4 } },
    'generators.order.encode: "width" needs digits: set "as" too',
  ],
  [
    { strategy: 'shared', encode: { as: 'hex', obfuscate: true } },
    'generators.order.encode: "obfuscate" needs a "key": must be a secret of 32, 48 or 64 hex digits, in IDS_ORDER_KEY or in the file named by IDS_ORDER_KEY_FILE',
  ],
  [
    { strategy: 'shared', encode: { as: 'hex', key: KEY } },
    'generators.order.encode: "key" is only for "obfuscate": true',
  ],
  [
    { strategy: 'shared', encode: { as: 'hex', obfuscate: true, key: 'hunter2hunter2' } },
    'generators.order.encode.key: must be a secret of 32, 48 or 64 hex digits',
  ],
  [
    { strategy: 'shared', encode: { as: 'base62', width: 3, obfuscate: true, key: KEY } },
    'generators.order: encode: option "width": obfuscated ids need at least 4 digits to hide among, got 3',
  ],
  [
    { strategy: 'local', encode: { as: 'base62' } },
    'generators.order: encode: "as": these ids are not numbers, so only "prefix" can be used',
  ],
  [
    { strategy: 'local', column: 'id' },
    'generators.order.column: must be "table.column" or "schema.table.column", with quotes around a name that SQL needs them for, got "id"',
  ],
  [
    { strategy: 'local', column: '1orders.id' },
    'generators.order.column: must be "table.column" or "schema.table.column", with quotes around a name that SQL needs them for, got "1orders.id"',
  ],
  [
    { strategy: 'local', column: 'a.b.c.d' },
    'generators.order.column: must be "table.column" or "schema.table.column", with quotes around a name that SQL needs them for, got "a.b.c.d"',
  ],
  [
    { strategy: 'local', column: 'orders.id; drop' },
    'generators.order.column: must be "table.column" or "schema.table.column", with quotes around a name that SQL needs them for, got "orders.id; drop"',
  ],
  [
    { strategy: 'local', column: 7 },
    'generators.order.column: must be "table.column" or "schema.table.column", with quotes around a name that SQL needs them for, got 7',
  ],
];

const unfitGenerators: readonly [generator: unknown, message: string][] = [
  [
    { strategy: 'local', require: { order: { cluster: 'real-time' } } },
    'generators.order: local does not fit: order across processes: needs real-time, offers k-sorted. Would fit: shared',
  ],
  [
    { strategy: 'local', require: { type: 'bigint' } },
    'generators.order: local does not fit: id type: needs bigint, offers string. Would fit: none of the strategies that were passed',
  ],
  [
    { strategy: 'shared', require: { sync: true } },
    'generators.order: shared does not fit: synchronous calls: needs nextSync, offers promises only. Would fit: local',
  ],
  [
    { strategy: 'shared', require: { offline: true } },
    'generators.order: shared does not fit: offline: needs no backend, offers redis and sql. Would fit: local',
  ],
  [
    { strategy: 'shared', require: { maxIdsLost: 100 } },
    'generators.order: shared does not fit: ids lost in a crash: needs at most 100, offers no bound. Would fit: none of the strategies that were passed',
  ],
  [
    { strategy: 'shared', require: { maxIdsLost: 0 } },
    'generators.order: shared does not fit: ids lost in a crash: needs at most 0, offers no bound. Would fit: none of the strategies that were passed',
  ],
  [
    { strategy: 'local', require: { discloses: [] } },
    'generators.order: local does not fit: disclosure: needs none, offers time. Would fit: none of the strategies that were passed',
  ],
  [
    {
      strategy: 'shared',
      require: { order: { process: 'increasing' } },
      encode: { as: 'hex', obfuscate: true, key: KEY },
    },
    'generators.order: shared does not fit: order within a process: needs increasing, offers none. Would fit: none of the strategies that were passed',
  ],
  [
    { strategy: 'shared', require: { type: 'number' }, encode: { as: 'hex' } },
    'generators.order: shared does not fit: id type: needs number, offers string. Would fit: none of the strategies that were passed',
  ],
];

function refusalOf(config: unknown): { code: string; message: string } {
  try {
    planGenerators([local, sharedStrategy().strategy], config);
  } catch (error) {
    if (isIdError(error)) return error;
    throw error;
  }
  throw new Error('nothing is wrong with it');
}

const around = (generator: unknown) => ({
  redis: 'redis://r',
  database: DATABASE,
  generators: { order: generator },
});

describe('a wrong config', () => {
  it.each(wrongConfigs)('%j is told exactly', (config, message) => {
    expect(refusalOf(config)).toMatchObject({ code: 'ERR_IDS_CONFIG', message });
  });
});

describe('a wrong generator', () => {
  it.each(wrongGenerators)('%j is told exactly', (generator, message) => {
    expect(refusalOf(around(generator))).toMatchObject({ code: 'ERR_IDS_CONFIG', message });
  });
});

describe('a generator that does not fit', () => {
  it.each(unfitGenerators)('%j is told exactly', (generator, message) => {
    expect(refusalOf(around(generator))).toMatchObject({ code: 'ERR_IDS_UNMET', message });
  });
});

describe('what is wrong with a config', () => {
  it('is told in one go, whatever part of it is wrong', () => {
    const config = {
      databse: DATABASE,
      generators: {
        event: { strategy: 'local', encode: { as: 'base64' }, prefx: 'x' },
        order: { strategy: 'shared', redis: 'redis://r', require: { sync: 1 } },
        log: { strategy: 'local', require: { type: 'bigint' } },
      },
    };
    const lines = refusalOf(config).message.split('\n');
    const beginnings = [
      'ids.config: unknown key "databse"',
      'generators.event.encode.as: must be one of',
      'generators.event: local: unknown option "prefx"',
      'generators.order.require.sync: must be true or false',
      'generators.order: shared: option "database": is required',
      'generators.log: local does not fit: id type',
    ];
    expect(lines.map((line, index) => line.slice(0, beginnings[index]?.length))).toEqual(beginnings);
  });

  it('never shows a secret, however it is misplaced', () => {
    for (const [config] of [
      ...wrongConfigs,
      ...wrongGenerators.map(([generator]) => [around(generator)]),
      [
        around({
          strategy: DATABASE,
          column: DATABASE,
          require: { type: DATABASE },
          encode: { as: DATABASE, prefix: DATABASE },
        }),
      ],
      [
        around({
          strategy: 'local',
          prefix: 'x',
          encode: { as: 'hex', obfuscate: true, key: 'hunter2hunter2' },
        }),
      ],
    ]) {
      expect(refusalOf(config).message).not.toContain('hunter2');
    }
  });
});
