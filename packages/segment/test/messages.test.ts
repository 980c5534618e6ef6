import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openFolder } from '@ids/local-services/dialects';
import { MessagesPage } from '@ids/local-services/messages-page';
import pg from 'pg';
import postgres from 'postgres';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import {
  AdaptiveStep,
  describeWithin,
  formatTicket,
  KnownReigns,
  LAST_ID,
  MemorySegmentSource,
  reserveAbove,
  type SegmentBuffer,
} from '../src/index.js';
import { sequenceOptions, stepProblem } from '../src/options.js';
import {
  fromD1,
  fromDurableObject,
  fromLibsql,
  fromLibsqlFile,
  fromMysql,
  fromNeon,
  fromPg,
  fromPglite,
  fromPostgresJs,
  fromSqlite,
  openSource,
  openSqlSource,
  SqlSegmentSource,
  segmentGrants,
  segmentSchema,
  sequenceSql,
  whoIssued,
} from '../src/sql/index.js';
import { sourceOptions } from '../src/sql/open.js';
import { bufferOver } from './buffer-support.js';
import {
  ofFiles,
  ofMysql,
  ofPostgres,
  ofTables,
  onMariadb,
  onPostgres,
  warnings,
} from './integration/spoiled-tables.js';
import { openClient } from './libsql-client.js';
import { ScriptedSource } from './scripted-source.js';
import { openFile } from './sqlite-file.js';

/*
 * What users of this package read, also of @ids/store, which they meet through it, in messages.md: each
 * sentence stands there, and in no other test. Read it as prose; `pnpm vitest run --project segment messages
 * -u` writes it anew.
 */

const any = (value: unknown) => value as never;
/** What is different in each run. */
const always = (said: string) =>
  said
    .replaceAll(/\b(segment|role|other)_\w*[0-9a-f]{6}\w*/g, 'shop')
    .replaceAll(/\S+ids-[\w-]+(?=\/)/g, '/data')
    .replaceAll(/\b20\d{6}(?=\D|\d{8})|\b20\d\d-\d\d-\d\d\b/g, 'DAY')
    .replaceAll(/\d+(?= ids: the row is)|\d+(?= s old)|\d+(?= ids a second)/g, 'N')
    .replaceAll(/\b[0-9a-f]{8}\.[0-9A-F]{8}-[0-9A-F]{8}\b/g, 'REIGN')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UUID');
const page = new MessagesPage(import.meta.url, { always });

const pool = { connect: () => {}, totalCount: 0, idleCount: 0 };
const client = { connect: () => {}, query: () => {} };
const wrongOptions: readonly object[] = [
  ...[{ name: 'a{b}' }, { minStep: 0 }, { minStep: 1.5 }, { minStep: 1_000_000_001 }, { maxStep: 0 }],
  ...[{ maxStep: '10' }, { maxIdsLost: 0 }, { deadlineMs: 0 }, { deadlineMs: 86_400_001 }, { as: 'text' }],
  ...[{ deadlineMs: Number.POSITIVE_INFINITY }, { refuseFormerPrimaryMs: 0 }, { onEvent: 1 }, { log: 'yes' }],
  ...[{ table: 'a.b.c' }, { table: 'x'.repeat(64) }, { table: 'a"; DROP TABLE b' }, { source: {} }],
  ...[{ owner: 'a\nb' }, { afterRestore: -1 }, { database: 5 }, { database: 'redis://user:hunter2@db' }],
  ...[{ database: { prepare() {}, batch() {} } }, { database: { sql: {}, sync() {} } }, { database: client }],
  ...[{ database: { promise() {}, query() {} } }, { database: { ...pool, ...client, release() {} } }],
];
const wrongSteps = [
  { minStep: 10, maxStep: 9 },
  { minStep: 11, maxStep: 20, maxIdsLost: 16 },
];

it('options', () => {
  page.section('Options');
  const schema = v.object({ ...sequenceOptions, ...sourceOptions });
  for (const options of wrongOptions) {
    const { issues = [] } = v.safeParse(schema, { name: 'order', ...options });
    expect(issues.map((issue) => v.getDotPath(issue))).toEqual(Object.keys(options));
    const said = `${v.getDotPath(issues[0] as never)} ${issues[0]?.message}`;
    expect(said).not.toContain('hunter2');
    page.write(options, said);
  }
  for (const steps of wrongSteps) page.write(steps, stepProblem(steps) ?? expect.unreachable());
});

const memory = new MemorySegmentSource({ order: { startAfter: 10 }, last: { startAfter: LAST_ID - 5 } });
const oneDatabase = { database: 'postgres://localhost' };
const ofCalls = {
  'no database': () => openSource({}),
  'two sources': () => openSource({ source: memory, ...oneDatabase }),
  'a table beside a source': () => openSource({ source: memory, table: 'ids' }),
  'another URL': () => openSqlSource({ database: 'https://db.example/?password=hunter2' }),
  'a URL with several hosts': () => openSqlSource({ database: 'postgres://u:hunter2@a:5432,b:5432/shop' }),
  'several hosts without ports': () =>
    openSqlSource({ database: 'postgres://a,b/shop?target_session_attrs=any' }),
  'a name': () => sequenceSql('a{b'),
  'a name that is no string': () => sequenceSql(any(['order'])),
  'a table': () => segmentSchema('a b'),
  'a table without room for its log': () => segmentSchema('t'.repeat(60), { log: true }),
  'a table with a dot, on SQLite': () => segmentSchema('main.ids', { dialect: 'sqlite' }),
  'a long table, on MySQL': () => segmentSchema('t'.repeat(60), { dialect: 'mysql' }),
  'an owner': () => new SqlSegmentSource(any({ execute: () => {} }), { log: true, owner: '' }),
  'a skip': () => new SqlSegmentSource(any({ execute: () => {} }), { afterRestore: any('skip') }),
  'groups by week': () => sequenceSql('ticket', { group: any({ by: 'week', timeZone: 'UTC' }) }),
  'a zone': () => sequenceSql('ticket', { group: { by: 'day', timeZone: '8' } }),
  'no groups': () => sequenceSql('ticket', { group: any('day') }),
  'a role of SQLite': () => segmentGrants('service', { dialect: 'sqlite' }),
  'a role': () => segmentGrants('a;b'),
};
const ofNumbers = {
  'the start': () => sequenceSql('order', { startAfter: -1 }),
  'a size': () => memory.reserve('order', 0),
  'a floor': () => memory.reserve('order', 1, { floor: -1 }),
  'an expected id': () => memory.reserve('order', 1, { expectedMaxId: 0.5 }),
  'an id': async () => whoIssued((await openFile()).executor, 'order', 1.5),
  'a step of none': () => new AdaptiveStep({ minStep: 0, maxStep: 10 }),
  'a part of a step': () => new AdaptiveStep({ minStep: 1, maxStep: 1.5 }),
  'ids to lose': () => new AdaptiveStep({ minStep: 10, maxStep: 10, maxIdsLost: 14 }),
  'a batch': () => bufferOver(memory, { maxIdsLost: 20 }).buffer.nextBatchSync(21),
  'a ticket': () => formatTicket(42),
  'a ticket by year': () => formatTicket(42, { by: 'year' }),
  'the width of a ticket': () => formatTicket(42, { width: 0 }),
  'a ticket by week': () => formatTicket(42, { by: any('week') }),
};
const libsqlServer = () => openClient('http://127.0.0.1:9');
const ofClients = {
  'a client of pg': () => fromPg(any(new pg.Client())),
  'a connection of mysql2': () => fromMysql(any({ query: () => {}, promise: () => {} })),
  'no client of postgres': () => fromPostgresJs(any({ connect: () => {} })),
  'a client of postgres without types': () => fromPostgresJs(postgres({ fetch_types: false })),
  'a client of postgres with a transform': () => fromPostgresJs(postgres({ transform: postgres.camel })),
  'a client of Neon': () => fromNeon(any(client)),
  'a transaction of PGlite': () => fromPglite(any({ query: () => {} })),
  'no database of SQLite': () => fromSqlite(any({})),
  'no client of libSQL': () => fromLibsql(any({})),
  'a server of libSQL for a file': () => fromLibsqlFile(libsqlServer()),
  'a file of libSQL for a server': () =>
    fromLibsql(openClient(pathToFileURL(join(openFolder(), 'ids.db')).href)),
  'another URL of libSQL': () => fromLibsql(libsqlServer(), { url: 'file:ids.db' }),
  'a session of D1': () => fromD1(any({ prepare: () => {} })),
  'no storage of a Durable Object': () => fromDurableObject(any({})),
};

/** What a call above 100 says of a source with such answers. */
const answered =
  (...segments: (readonly [low: number, high: number])[]) =>
  async () => {
    const source = new ScriptedSource();
    const known = new KnownReigns('order');
    const reserving = reserveAbove(source, 'order', 10, 100, { onEvent: () => {}, known });
    reserving.catch(() => undefined);
    for (const [low, high] of segments) (await source.asked()).answerWith({ low, high });
    await reserving;
  };
/** What a call of a buffer with a deadline of 40 ms says, whose source does not answer. */
const unanswered = (call: (buffer: SegmentBuffer<number>) => unknown) => () =>
  call(bufferOver(new ScriptedSource(), { deadlineMs: 40 }).buffer);
const ofSources = {
  'no sequence': () => memory.describe('ticket'),
  'the end of the range': () => memory.reserve('last', 10),
  'a floor too far above': () => memory.reserve('order', 5, { floor: 1_000_000_011 }),
  'another id than expected': () => memory.reserve('order', 5, { expectedMaxId: 11 }),
  'ids that were reserved before': answered([1, 10], [11, 20]),
  'no segment': answered([0, 10]),
  'a sequence that was created anew': () =>
    new KnownReigns('order', { realm: 'one' }).accept({ realm: 'two' }),
  'a reign that is over': () => new KnownReigns('order', { reigns: ['b', 'a'] }).accept({ reigns: ['a'] }),
  'no answer at the start': () => {
    const source = new ScriptedSource();
    source.describe = () => new Promise(() => {});
    return describeWithin(source, 'order', 20);
  },
  'no id in memory': unanswered((buffer) => buffer.nextSync()),
  'too few ids in memory': async () => {
    const { buffer } = bufferOver(ScriptedSource.open());
    await buffer.next();
    buffer.nextBatchSync(50);
  },
  'no id in time': unanswered((buffer) => buffer.next()),
  'an error of another kind': unanswered(async (buffer) => {
    const source = new ScriptedSource();
    const waiting = bufferOver(source, { deadlineMs: 40 }).buffer.next();
    waiting.catch(() => undefined);
    (await source.asked()).refuse(new Error('of a source that knows no IdError'));
    await buffer.close();
    await waiting;
  }),
};

type Section = [title: string, codes: RegExp, acts: Readonly<Record<string, () => unknown>>];

it.each<Section>([
  ['Arguments', /^ERR_IDS_CONFIG$/, ofCalls],
  ['Numbers', /^RangeError$/, ofNumbers],
  ['Clients', /^TypeError$/, ofClients],
  ['Sources', /^ERR_IDS_(CONFIG|EXHAUSTED|NOT_READY|REALM|REGRESSED|TIMEOUT|UNAVAILABLE)$/, ofSources],
  ['Tables on Postgres', /^ERR_IDS_(CONFIG|CLOCK|EXHAUSTED|REGRESSED)$/, ofTables(onPostgres)],
  ['Tables on MariaDB', /^ERR_IDS_(CONFIG|CLOCK|EXHAUSTED|REGRESSED)$/, ofTables(onMariadb)],
  ['Only on Postgres', /^ERR_IDS_(CONFIG|REGRESSED|UNAVAILABLE)$/, ofPostgres],
  ['Only on MySQL and MariaDB', /^ERR_IDS_CONFIG$/, ofMysql],
  ['Files of SQLite', /^ERR_IDS_(CONFIG|UNAVAILABLE)$/, ofFiles],
])('%s', async (title, codes, acts) => {
  page.section(title);
  await page.refusals(codes, Object.entries(acts));
});

it('warnings', async () => {
  page.section('Warnings on Postgres');
  for (const [what, read] of Object.entries(warnings)) {
    const said = await read();
    expect(said).not.toEqual([]);
    page.write(what, ...said);
  }
});

it('is on the page, each code of an error as well', () => page.compare());
