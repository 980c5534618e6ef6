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

const pool = { connect: () => {}, totalCount: 0, idleCount: 0 };
const mysqlPool = { getConnection: () => {}, promise: () => {}, query: () => {} };

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

  it('accept the least step and the fewest ids to lose that are possible', () => {
    expect(stepProblem({ minStep: 10, maxStep: 10 })).toBeUndefined();
    expect(stepProblem({ minStep: 11, maxStep: 20, maxIdsLost: 17 })).toBeUndefined();
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
    expect(message).toMatch(/^database .*postgres:.*mysql:.*libsql:.*sqlite:ids\.db/);
    const error = await openSqlSource({ database }).catch((reason: Error) => reason);
    expect(error).toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(/postgres:.*mysql:/),
    });
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
