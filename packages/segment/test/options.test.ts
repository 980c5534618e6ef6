import { wholeNumber } from '@ids/waiting';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { MemorySegmentSource } from '../src/index.js';
import { sequenceOptions, stepProblem } from '../src/options.js';
import {
  fromMysqlUrl,
  fromPgUrl,
  openSource,
  openSqlSource,
  SqlSegmentSource,
  segmentSchema,
} from '../src/sql/index.js';
import { sourceOptions } from '../src/sql/open.js';

const schema = v.object({ ...sequenceOptions, ...sourceOptions });

function problems(options: object): string[] {
  const { issues = [] } = v.safeParse(schema, { name: 'order', ...options });
  return issues.map((issue) => `${v.getDotPath(issue)} ${issue.message}`);
}

const SERVERS = 'a postgres://, postgresql://, mysql:// or mariadb:// URL';
const FILE = 'sqlite: with the path of a file, such as sqlite:ids.db';
const LIBSQL = 'a libsql:// URL';
const OPEN =
  'a pool of pg or mysql2, a client of postgres, a Pool or function of @neondatabase/serverless, a client of Bun.SQL, or a database of better-sqlite3, libsql or node:sqlite';

const pool = { connect: () => {}, totalCount: 0, idleCount: 0 };
const mysqlPool = { getConnection: () => {}, promise: () => {}, query: () => {} };
const mysqlConnection = { promise: () => {}, query: () => {} };
const client = { connect: () => {}, query: () => {} };

describe('the options of a dispenser', () => {
  it('have defaults', () => {
    expect(v.parse(schema, { name: 'order' })).toEqual({
      name: 'order',
      minStep: 1_000,
      maxStep: 1_000_000,
      as: 'number',
      deadlineMs: 5_000,
    });
  });

  it.each([
    { database: 'postgres://u:p@localhost/db' },
    { database: 'postgresql://localhost' },
    { database: 'mysql://u:p@localhost/db' },
    { database: 'mariadb://localhost' },
    { database: 'libsql://app.example.com?authToken=x' },
    { database: mysqlPool },
    { database: { pool: mysqlPool, getConnection: () => {} } },
    { database: pool },
    { source: new MemorySegmentSource() },
    { table: 'ids.Segment$1' },
    { minStep: 1, maxStep: 1_000_000_000 },
    { minStep: 1_000_000_000, maxStep: 1_000_000_000 },
    { maxIdsLost: 1 },
    { maxIdsLost: Number.MAX_SAFE_INTEGER },
    { as: 'number' },
    { as: 'bigint' },
    { as: 'string' },
    { deadlineMs: 1 },
    { deadlineMs: 86_400_000 },
    { onEvent: () => {} },
  ])('accept %o', (options) => {
    expect(problems(options)).toEqual([]);
  });

  it.each([
    [{ name: 'a{b}' }, 'name must be 1 to 255 characters, no control characters, no braces, got "a{b}"'],
    [{ minStep: 0 }, 'minStep must be a whole number from 1 to 1000000000, got 0'],
    [{ minStep: 1.5 }, 'minStep must be a whole number from 1 to 1000000000, got 1.5'],
    [{ minStep: 1_000_000_001 }, 'minStep must be a whole number from 1 to 1000000000, got 1000000001'],
    [{ maxStep: 0 }, 'maxStep must be a whole number from 1 to 1000000000, got 0'],
    [{ maxIdsLost: 0 }, 'maxIdsLost must be a whole number from 1 to 9007199254740991, got 0'],
    [{ deadlineMs: 0 }, 'deadlineMs must be a whole number from 1 to 86400000, got 0'],
    [{ deadlineMs: 86_400_001 }, 'deadlineMs must be a whole number from 1 to 86400000, got 86400001'],
    [{ maxStep: '10' }, 'maxStep must be a whole number from 1 to 1000000000, got "10"'],
    [{ as: 'text' }, 'as must be "number", "bigint" or "string", got "text"'],
    [
      { deadlineMs: Number.POSITIVE_INFINITY },
      'deadlineMs must be a whole number from 1 to 86400000, got Infinity',
    ],
    [{ onEvent: 1 }, 'onEvent must be a function, got 1'],
    [{ table: 'a.b.c' }, expect.stringMatching(/^table must be a table name .* got "a.b.c"$/)],
    [{ table: 'x'.repeat(64) }, expect.stringMatching(/^table must be a table name/)],
    [{ table: 'a"; DROP TABLE b' }, expect.stringMatching(/^table must be a table name/)],
    [{ source: {} }, 'source must be a SegmentSource (describe, reserve, close), got an object'],
    [{ database: 5 }, `database must be ${SERVERS}, ${LIBSQL}, ${FILE}, ${OPEN}, got 5`],
    [{ database: { prepare() {}, batch() {} } }, expect.stringMatching(/D1.*"source".*fromD1/)],
    [{ database: { sql: {}, sync() {} } }, expect.stringMatching(/Durable Object.*fromDurableObject$/)],
    [{ database: client }, expect.stringMatching(/node:sqlite, not a client or a transaction/)],
    [{ database: mysqlConnection }, expect.stringMatching(/node:sqlite, not a client or a transaction/)],
    [{ database: { ...pool, ...client, release: () => {} } }, expect.stringMatching(/not a client/)],
  ])('refuse %o by name, value and what is accepted', (options, message) => {
    expect(problems(options)).toEqual([message]);
  });

  it('refuse a least step above the most', () => {
    expect(stepProblem({ minStep: 10, maxStep: 9 })).toBe(
      'option "minStep": must be at most "maxStep", got 10 with a "maxStep" of 9',
    );
    expect(stepProblem({ minStep: 10, maxStep: 10 })).toBeUndefined();
  });

  it('refuse to lose fewer ids than one and a half of the least step', () => {
    expect(stepProblem({ minStep: 11, maxStep: 20, maxIdsLost: 16 })).toBe(
      'option "maxIdsLost": must be at least 17, one and a half times "minStep" (11), got 16; raise it or lower "minStep"',
    );
    expect(stepProblem({ minStep: 11, maxStep: 20, maxIdsLost: 17 })).toBeUndefined();
  });

  it('name the unit of a number that has one', () => {
    const { issues } = v.safeParse(wholeNumber(10, 60_000, 'milliseconds'), 9);
    expect(issues?.[0].message).toBe('must be a whole number of milliseconds from 10 to 60000, got 9');
  });

  it.each([
    'mongodb://user:hunter2@db.example:3306/app',
    'mysql://user:hunter2@[bad',
    'postgres//user:hunter2@db',
    'hunter2',
    'postgres://user:hunter2@[bad',
    'https://db.example/?password=hunter2',
  ])('refuse the database %s without repeating its password', async (database) => {
    const [message] = problems({ database });
    expect(message).toMatch(`database must be ${SERVERS}, ${LIBSQL}, or ${FILE}, got `);
    const error = await openSqlSource({ database }).catch((reason: Error) => reason);
    expect(error).toMatchObject({ code: 'ERR_IDS_CONFIG', message: expect.stringContaining(SERVERS) });
    await expect(fromMysqlUrl(database)).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
    await expect(fromPgUrl(database)).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
    expect(`${message} ${error}`).not.toContain('hunter2');
  });

  it('name exactly one source', async () => {
    const source = new MemorySegmentSource();
    const database = 'postgres://localhost';
    for (const options of [{}, { source, database }, { source, table: 'ids' }]) {
      await expect(openSource(options)).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
    }
    expect(await openSource({ source })).toEqual({ source, owned: false });
    const opened = await openSource({ database });
    expect(opened).toEqual({ source: expect.any(SqlSegmentSource), owned: true });
    await opened.source.close();
  });
});

describe('segmentSchema', () => {
  it('quotes the table and puts the guard into its schema', () => {
    const text = segmentSchema('Ids.Segment');
    expect(text).toContain('CREATE TABLE "Ids"."Segment"');
    expect(text).toContain('FUNCTION "Ids"."id_segment_guard"()');
  });

  it.each(['', 'a b', 'a;b', 'a.b.c', '1a', '.a', 'a.'])('refuses the table name %j', (table) => {
    expect(() => segmentSchema(table)).toThrow(expect.objectContaining({ code: 'ERR_IDS_CONFIG' }));
  });
});
