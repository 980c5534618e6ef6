import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IdError } from '@ids/core';
import { createCodec } from '@ids/encode';
import { MessagesPage } from '@ids/local-services/messages-page';
import { expect, it } from 'vitest';
import { loadConfig, planGenerators, readConfig } from '../src/index.js';
import { type IdsOrOptions, openOrTake } from '../src/plugin.js';
import { planSwap, type SwapSide } from '../src/swap/index.js';
import { counting, leasing, local, sharedStrategy } from './support.js';
import { numbers, ofNumbers, ofTexts, orders, WIDE } from './swap-subject.js';

/*
 * What users of this package read, in messages.md: each sentence stands there, and in no other test. Read it
 * as prose; `pnpm vitest run --project config messages -u` writes it anew.
 */

const DATABASE = 'postgres://ids:hunter2hunter2@db/ids';
const KEY = '00112233445566778899aabbccddeeff';

const wrongConfigs: readonly unknown[] = [
  null,
  [],
  'x',
  {},
  { generators: [] },
  { generators: {} },
  { generatrs: {}, generators: { a: { strategy: 'local' } } },
  { generators: { a: { strategy: 'local' } }, databse: DATABASE },
  { generators: { order: { strategy: 'shared' } } },
  {
    generators: {
      event: { strategy: 'locl' },
      log: { strategy: 'local', prefx: 'x' },
      order: { strategy: 'shared', redis: 'r', require: { sync: 1 } },
      t: { strategy: 'local', require: { type: 'bigint' } },
    },
  },
  {
    database: DATABASE,
    generators: {
      order: { strategy: 'counting', table: 'ids' },
      event: { strategy: 'leasing', table: 'ids' },
    },
  },
  {
    database: DATABASE,
    generators: {
      order: { strategy: 'counting', name: 'shop' },
      shop: { strategy: 'counting', keyed: true },
    },
  },
];

/** In a config that gives both backends. */
const wrongGenerators: readonly unknown[] = [
  null,
  'local',
  {},
  { strategy: 5 },
  { strategy: 'locl' },
  { strategy: DATABASE },
  { strategy: 'local', prefx: 'x' },
  { strategy: 'local', minStep: 5 },
  { strategy: 'local', require: [] },
  { strategy: 'local', require: 'cluster' },
  { strategy: 'local', require: { uniq: 'cluster' } },
  { strategy: 'local', require: { unique: 'galaxy' } },
  { strategy: 'local', require: { order: 'real-time' } },
  { strategy: 'local', require: { order: { clustr: 'none' } } },
  { strategy: 'local', require: { order: { cluster: 'sorted' } } },
  { strategy: 'local', require: { order: { process: 'yes' } } },
  { strategy: 'local', require: { type: 'ulid' } },
  { strategy: 'local', require: { sync: 'yes' } },
  { strategy: 'local', require: { offline: 1 } },
  { strategy: 'local', require: { maxLength: 0 } },
  { strategy: 'local', require: { maxIdsLost: -1 } },
  { strategy: 'local', require: { maxIdsLost: '100' } },
  { strategy: 'local', require: { discloses: 'time' } },
  { strategy: 'local', require: { discloses: ['mac'] } },
  { strategy: 'local', encode: 'base62' },
  { strategy: 'local', encode: {} },
  { strategy: 'local', encode: { as: 'base64' } },
  { strategy: 'shared', encode: { as: 'hex', widht: 5 } },
  { strategy: 'shared', encode: { as: 'hex', width: 65 } },
  { strategy: 'shared', encode: { prefix: '' } },
  { strategy: 'shared', encode: { prefix: 'a b' } },
  { strategy: 'shared', encode: { prefix: '', width: 4 } },
  { strategy: 'shared', encode: { as: 'hex', check: 1 } },
  { strategy: 'shared', encode: { prefix: 'x', width: 4 } },
  { strategy: 'shared', encode: { as: 'hex', obfuscate: true } },
  { strategy: 'shared', encode: { as: 'hex', key: KEY } },
  { strategy: 'shared', encode: { as: 'hex', obfuscate: true, key: 'hunter2hunter2' } },
  { strategy: 'shared', encode: { as: 'base62', width: 3, obfuscate: true, key: KEY } },
  { strategy: 'local', encode: { as: 'base62' } },
  { strategy: 'local', column: 'id' },
  { strategy: 'local', column: '1orders.id' },
  { strategy: 'local', column: 'a.b.c.d' },
  { strategy: 'local', column: 'orders.id; drop' },
  { strategy: 'local', column: 7 },
  { strategy: 'local', require: { order: { cluster: 'real-time' } } },
  { strategy: 'local', require: { type: 'bigint' } },
  { strategy: 'shared', require: { sync: true } },
  { strategy: 'shared', require: { offline: true } },
  { strategy: 'shared', require: { maxIdsLost: 100 } },
  { strategy: 'shared', require: { maxIdsLost: 0 } },
  { strategy: 'local', require: { discloses: [] } },
  {
    strategy: 'shared',
    require: { order: { process: 'increasing' } },
    encode: { as: 'hex', obfuscate: true, key: KEY },
  },
  { strategy: 'shared', require: { type: 'number' }, encode: { as: 'hex' } },
];

/** Beside a generator of ids. */
const wrongSeries: readonly unknown[] = [
  [],
  { a: 5 },
  { a: { tabel: 'x' } },
  { '{}': {} },
  { a: { deadlineMs: 0.5 } },
  { a: { afterRestore: 'skip' } },
  { a: { database: 'postgres//one:hunter2@db' } },
  { a: { startAfter: { table: 'x' } } },
  { a: { startAfter: { table: 'x', column: 'a b' } } },
  { a: { startAfter: { table: 'x', column: 'y', perYear: true } } },
  { a: { startAfter: { table: 'x', column: 'y', format: 'INV' } } },
  { counted: {} },
  { a: { table: 'id_segment' } },
  { a: { startAfter: { table: 'orders', column: 'id' } } },
  { a: {}, b: { name: 'a' } },
];

/** With the variables of the environment; of files, only the last one counts. */
const read: readonly (readonly [
  files: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>>,
])[] = [
  [{}, {}],
  [{ 'ids.config.json': '{}', 'ids.config.yaml': '' }, {}],
  [{ 'ids.config.json5': '{ generators: {' }, {}],
  [{ 'ids.config.yaml': 'generators:\n  order:\n    strategy: local\n    strategy: other\n' }, {}],
  [{ 'ids.config.mjs': "throw new Error('no such vault')" }, {}],
  [{ 'ids.config.json': '{}' }, { IDS_REDIS_URL_FILE: 'missing' }],
  [
    { 'ids.config.json': '{}', empty: '' },
    { IDS_REDIS_URL: 'r', IDS_REDIS_URL_FILE: 'f', IDS_DATABASE_URL_FILE: 'empty' },
  ],
  [{ 'ids.config.json': '{ "generators": { "order": { "strategy": "local", "a": 1,\n"a": 2 } } }' }, {}],
  ...[
    'IDS_ORDR_STRATEGY',
    'IDS_BILL_KEY',
    'IDS_ORDER_KEY',
    'IDS_ORDER_TOKEN',
    'IDS_ORDER_STRATGY',
    'IDS_REDS_URL_FILE',
  ].map(
    (name) =>
      [
        { 'ids.config.json': '{ "generators": { "order": { "strategy": "local" } } }' },
        { [name]: 'x' },
      ] as const,
  ),
  [{ 'ids.config.json': '{}' }, { IDS_DATABASE_URL: 'postgres://db/shop?schema=public&pgbouncer=true' }],
];

const side = (sequence?: string, reserved?: bigint): SwapSide => ({
  guarantees: numbers,
  sequence,
  reserved,
});
const encoded = (options: Parameters<typeof createCodec>[1], of = numbers): SwapSide => ({
  guarantees: createCodec(of, options).guarantees,
});
const atTime = (reserved: bigint, clockAt: bigint): SwapSide => ({ ...side('slots', reserved), clockAt });
const worker = (number: number, clockAt = 4_000n, layout = 'a'): SwapSide => ({
  ...side(undefined, clockAt + 1_000n),
  clockAt,
  worker: { number, layout, aheadMs: 4_000 },
});
const STOPPED = { stopped: true };

const swaps: Readonly<Record<string, Parameters<typeof planSwap>>> = {
  'numbers to texts': [ofNumbers, ofTexts, orders],
  'texts to numbers': [ofTexts, ofNumbers, { ...orders, type: 'text', ignoresCase: true }],
  'one form': [ofTexts, ofTexts, { ...orders, type: 'text', ignoresCase: true }],
  'gaps only': [ofNumbers, { guarantees: { ...numbers, gaps: 'never' } }],
  'one sequence': [side('a', 9n), side('a', 9n)],
  'keys and their row': [{ guarantees: { ...numbers, within: 'key' }, sequence: 'a' }, side('a')],
  'keys and another row': [{ guarantees: { ...numbers, within: 'key' }, sequence: 'a' }, side('b')],
  'old ids not known': [side('a'), side('b', 7n)],
  'old processes run': [side('a', 50n), side('b', 51n)],
  'above all old ids': [side('a', 50n), side('b', 51n), undefined, STOPPED],
  'below old ids': [side('a', 50n), side('b', 0n), { ...orders, maxId: 48_001n }, STOPPED],
  'a missing table': [side('a', 5n), { ...side('b', 0n), missing: 'table id_segment' }],
  'a missing table of old ids': [{ ...side('a', 5n), missing: 'table id_segment' }, side('b', 0n)],
  'a reign that is not known': [{ ...side('a', 50n), pending: true }, side('b', 0n)],
  'time before a sequence': [atTime(5_000n, 4_000n), side('b', 4_999n)],
  'time beyond a sequence': [{ ...atTime(2n ** 60n, 1n), guarantees: WIDE }, side('b', 0n)],
  'a sequence before time': [side('a', 5_000n), atTime(9_000n, 5_000n)],
  'a sequence before time, stopped': [side('a', 5_000n), atTime(9_000n, 5_000n), undefined, STOPPED],
  'a sequence above time': [side('a', 5_001n), atTime(9_000n, 5_000n), undefined, STOPPED],
  'one worker': [worker(3), worker(3), undefined, STOPPED],
  'another layout': [worker(3), worker(3, 3_749n, 'b'), undefined, STOPPED],
  'another worker': [worker(3), worker(4)],
  'short columns': [ofNumbers, ofNumbers, { ...orders, type: 'integer' }],
  'columns of another kind': [ofNumbers, ofNumbers, { ...orders, type: 'date' }],
  'texts in short columns': [ofNumbers, ofTexts, { ...orders, type: 'character', maxLength: 23 }],
  'texts in a column of UUIDs': [ofNumbers, ofTexts, { ...orders, type: 'uuid' }],
  'leading zeros': [ofNumbers, encoded({ as: 'decimal', width: 12 }), orders],
  'check digits': [{ guarantees: WIDE }, encoded({ as: 'decimal', check: true }, WIDE), orders],
  'mixed case': [ofNumbers, encoded({ as: 'base62' })],
  'one case': [encoded({ as: 'base62' }), ofNumbers],
  prefixes: [encoded({ as: 'hex', prefix: 'a_' }), encoded({ as: 'hex', prefix: 'b_' })],
};

const around = (generator: unknown) => ({
  redis: 'redis://r',
  database: DATABASE,
  generators: { order: generator },
});

const planOf = (config: unknown) => () =>
  planGenerators([local, sharedStrategy().strategy, counting, leasing], config);

const page = new MessagesPage(import.meta.url);

it.each([
  ['A config', wrongConfigs, (config: unknown) => config],
  ['A generator', wrongGenerators, around],
  [
    'A series',
    wrongSeries,
    (series: unknown) => ({
      database: DATABASE,
      generators: { order: { strategy: 'counting', name: 'counted', column: 'orders.id' } },
      series,
    }),
  ],
] as const)('%s that is wrong', async (title, wrong, configOf) => {
  const acts = wrong.map((one) => [one, planOf(configOf(one))] as const);
  page.section(title);
  for (const { message } of await page.refusals(/^ERR_IDS_(CONFIG|UNMET)$/, acts)) {
    expect(message).not.toContain('hunter2');
  }
});

it('a config that is read', async () => {
  page.section('A config that is read');
  for (const [files, environment] of read) {
    const cwd = await mkdtemp(join(tmpdir(), 'ids-config-'));
    for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
    const paths = Object.entries(environment).map(([name, value]) => [
      name,
      name.endsWith('_FILE') ? join(cwd, value) : value,
    ]);
    const options = { cwd, environment: Object.fromEntries(paths) };
    const said = await Promise.all([readConfig(options), loadConfig(options)]).then(
      ([{ warnings }]) => warnings.map(({ about, message }) => `${about} ${message}`),
      ({ code, message }: IdError) => [`${message} (${code})`],
    );
    const what = [...Object.entries(files), ...Object.entries(environment)].map((pair) => pair.join(': '));
    page.write(what.join(', ') || 'no file', ...said.map((line) => line.replaceAll(cwd, '/app')));
    await rm(cwd, { recursive: true });
  }
});

it('wrong options of a plugin', async () => {
  const wrong: readonly unknown[] = [
    undefined,
    {},
    { strategies: 'local' },
    { strategies: [], ids: {} },
    { ids: {} },
    { ids: Promise.resolve() },
  ];
  const acts = wrong.map(
    (options) => [{ options }, () => openOrTake('@ids/plugin', options as IdsOrOptions)] as const,
  );
  page.section('Wrong options of a plugin');
  await page.refusals(/^ERR_IDS_CONFIG$/, acts);
});

it('a swap', () => {
  page.section('A swap');
  // Once each: most of them are about several of the swaps.
  const known = new Set<string>();
  for (const [what, swap] of Object.entries(swaps)) {
    const advice = planSwap(...swap).findings.flatMap(({ about, verdict, advice }) =>
      advice === undefined ? [] : [`${verdict}: ${about}: ${advice}`],
    );
    const first = advice.filter((line) => !known.has(line));
    for (const line of first) known.add(line);
    if (first.length > 0) page.write(what, ...first);
  }
});

it('is on the page, each code of an error as well', () => page.compare());
