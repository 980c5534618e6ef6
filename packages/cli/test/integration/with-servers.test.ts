import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { createSequence, ensureSchema, setFloor } from '@ids/segment/sql';
import type { SqlExecutor } from '@ids/store';
import { fromPgUrl } from '@ids/store/postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { runIds } from '../support/run-ids.js';

const redis = inject('redisUrl');
const schema = uniqueName('cli');
const name = uniqueName('order');
/** Everything below happens in a schema of its own. */
const database = withSchema(inject('databaseUrl'), schema);
const environment = { IDS_REDIS_URL: redis, IDS_DATABASE_URL: database };

let executor: SqlExecutor;
let cwd: string;
const folders: string[] = [];

function withSchema(url: string, searchPath: string): string {
  const own = new URL(url);
  own.searchParams.set('options', `-c search_path=${searchPath}`);
  return own.href;
}

beforeAll(async () => {
  executor = await fromPgUrl(inject('databaseUrl'), { max: 1 });
  await executor.execute(`CREATE SCHEMA "${schema}"`, []);
});
afterAll(async () => {
  await executor.execute(`DROP SCHEMA "${schema}" CASCADE`, []);
  await executor.close();
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
});
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'ids-cli-'));
  folders.push(cwd);
});

/** Each config gets a folder of its own: a process reads a file once. */
async function configure(generators: object): Promise<void> {
  cwd = await mkdtemp(join(tmpdir(), 'ids-cli-'));
  folders.push(cwd);
  await writeFile(join(cwd, 'ids.config.json'), JSON.stringify({ generators }));
}
const ids = (...argv: string[]) => runIds(cwd, argv, { environment });

describe('ids, with a database and a Redis', () => {
  it('goes from init to a first id, and finds nothing wrong', async () => {
    expect(await ids('init', '--strategy', 'segment-redis-db', '--name', name, '--apply')).toEqual({
      code: 0,
      stdout: [
        'wrote ids.config.json',
        'wrote ids.schema.json',
        'wrote ids.sql',
        'created table id_segment',
        `created sequence ${name} in table id_segment`,
        `then: npx --no -- ids next ${name}\n`,
      ].join('\n'),
      stderr: '',
    });
    expect(await ids('next', name, '-n', '2')).toEqual({ code: 0, stdout: '1\n2\n', stderr: '' });
    const { code, stdout } = await ids('doctor');
    const found = stdout.split('\n').filter((line) => /^(?:ok|warning|wrong)\t/.test(line));
    expect(found.map((line) => line.split('\t').slice(0, 2).join(' '))).toEqual([
      'ok ids.config.json',
      'ok redis',
      'ok redis platform',
      'ok redis clock',
      'ok database',
      'ok database platform',
      'ok database clock',
      'ok table id_segment',
      `ok sequence ${name}`,
      `warning sequence ${name}`,
      `ok generator ${name}`,
    ]);
    expect(stdout).toMatch(/^ok\tredis platform\t(?:Redis|Valkey) \d, tested here: /m);
    expect(stdout).toMatch(/^ok\tdatabase platform\tPostgres \d+, tested here: /m);
    expect(stdout).toMatch(/^warning\tsequence .*\tsynchronous_standby_names is empty/m);
    expect(code).toBe(0);
  });

  it('writes a DDL that makes table and sequence', async () => {
    const other = uniqueName('bill');
    await ids('init', '--strategy', 'segment-inproc', '--name', other);
    const own = await fromPgUrl(database, { max: 1 });
    try {
      // By the simple protocol, which takes several statements at once, as psql does.
      const ddl = await readFile(join(cwd, 'ids.sql'), 'utf8');
      await own.execute(`DO $run$ BEGIN ${ddl} END $run$`, []);
    } finally {
      await own.close();
    }
    expect((await ids('next', other)).stdout).toBe('1\n');
  });

  it('names what the guards of a table cannot do', async () => {
    await configure({ order: { strategy: 'segment-inproc', name, afterRestore: 'refuse' } });
    const table = `"${schema}".id_segment`;
    await executor.execute(`ALTER TABLE ${table} DISABLE TRIGGER USER`, []);
    await executor.execute(`UPDATE ${table} SET max_id = max_id`, []);
    const { code, stdout } = await ids('doctor');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^warning\tsequence .*triggers.*are missing or disabled/m);
    expect(stdout).toMatch(
      /^wrong\tsequence .*restored.*refused until setFloor .*npx --no -- ids floor order <.*> --checked\t?$/m,
    );
    await executor.execute(`ALTER TABLE ${table} ENABLE TRIGGER USER`, []);
    await setFloor(executor, name, 1, { table: `${schema}.id_segment`, checked: true });
  });

  it('warns of mixed-case ids in a column that ignores case', async () => {
    await executor.execute(
      `CREATE COLLATION "${schema}".ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`,
      [],
    );
    await executor.execute(
      `CREATE TABLE "${schema}".codes (id text COLLATE "${schema}".ci, plain varchar(9))`,
      [],
    );
    const strategy = { strategy: 'segment-inproc', name };
    await configure({ order: { ...strategy, encode: { as: 'base62' }, column: `${schema}.codes.id` } });
    const { code, stdout } = await ids('doctor');
    expect(code).toBe(1);
    expect(stdout).toMatch(new RegExp(`^wrong\tcollation ${schema}\\.codes\\.id\t.*crockford`, 'm'));
    await configure({ order: { ...strategy, encode: { as: 'crockford' }, column: `${schema}.codes.id` } });
    expect((await ids('doctor')).code).toBe(0);
    await configure({ order: { ...strategy, encode: { as: 'base62' }, column: `${schema}.codes.plain` } });
    expect((await ids('doctor')).code).toBe(0);
  });

  it('plans a swap from the greatest id of a column', async () => {
    await executor.execute(`CREATE TABLE "${schema}".orders (id integer)`, []);
    await executor.execute(`INSERT INTO "${schema}".orders VALUES (7), (48001000)`, []);
    await configure({
      order: { strategy: 'objectid', column: `${schema}.orders.id` },
      next: { strategy: 'segment-inproc', name },
    });
    const { code, stdout } = await ids('swap', '--from', 'order', '--to', 'next', '--json');
    expect(code).toBe(0);
    const plan = JSON.parse(stdout);
    expect(plan.floor).toBe('48001000');
    expect(plan.findings).toContainEqual({
      about: 'column',
      verdict: 'danger',
      from: `${schema}.orders.id integer`,
      to: 'number, up to 16 characters',
      advice: expect.stringContaining('2147483647'),
    });
  });

  it('sees that two strategies take ids from one sequence', async () => {
    await configure({ order: { strategy: 'segment-inproc', name } });
    const { stdout } = await ids('swap', '--from', 'order', '--to', 'segment-redis-db');
    expect(stdout).toMatch(/^same\toverlap\t/m);
  });

  it('tells who drew the segment of an id, when the sequence keeps a grant log', async () => {
    const table = `${schema}.logged`;
    await ensureSchema(executor, { table, log: true });
    await createSequence(executor, name, { table });
    await configure({
      order: { strategy: 'segment-inproc', name, table, minStep: 10, log: true, owner: 'host-7' },
    });
    expect((await ids('next', 'order')).stdout).toBe('1\n');
    const drawn = (await ids('inspect', '7')).stdout;
    expect(drawn).toContain('owner\thost-7\t\n');
    expect(drawn).toContain('segment\t1..10\t\n');
    expect(drawn).toMatch(/^granted\t\d{4}-\d\d-\d\dT[\d:.]+Z\t$/m);
    expect((await ids('inspect', '11')).stdout).toMatch(/^owner\tunknown: .*above/m);
  });
});
