import { uniqueName } from '@ids/local-services';
import { createSequence, ensureSchema, segmentGrants } from '@ids/segment/sql';
import { Redis } from 'ioredis';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { openOwnSchema } from '../support/own-schema.js';

const INPROC = { strategy: 'segment-inproc' };

/** The rows of the checks, `status what: found`, without those of the server and its clock. */
async function rowsOf(
  own: Awaited<ReturnType<typeof openOwnSchema>>,
  url: string = own.url,
): Promise<{ code: number; rows: string[] }> {
  const { code, stdout } = await own.ids(['doctor'], { IDS_DATABASE_URL: url });
  expect(stdout).not.toContain('hunter2');
  const rows = stdout
    .split('\n')
    .filter((line) => /^(?:ok|warning|wrong)\t(?!database|ids\.config)/.test(line));
  return {
    code,
    rows: rows.map((row) => row.replace(/\t(.*)\t/, ' $1: ')).filter((row) => !row.includes('standby')),
  };
}

describe('ids doctor, of a table', () => {
  it('names the generator and the command, where something is missing', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: { ...INPROC, log: true } });
    const needs =
      'is missing, and generators.order needs it: if it never existed, create it with npx --no -- ids apply';
    const look = async () =>
      (await rowsOf(own)).rows.flatMap((row) => {
        const [start, rest] = row.split(needs);
        return rest === undefined ? [] : [`${start}${needs}`];
      });
    expect(await look()).toEqual([
      `wrong table id_segment: ${needs}`,
      `wrong grant log id_segment_log: ${needs}`,
      `wrong sequence order in table id_segment: ${needs}`,
    ]);
    await ensureSchema(own.executor);
    expect(await look()).toEqual([
      `wrong grant log id_segment_log: ${needs}`,
      `wrong sequence order in table id_segment: ${needs}`,
    ]);
    expect((await rowsOf(own)).code).toBe(1);
    await own.ids(['apply']);
    expect((await rowsOf(own)).code).toBe(0);
  });

  it('names role, right and statement, where the role may not', async () => {
    const own = await openOwnSchema();
    await ensureSchema(own.executor, { log: true });
    await createSequence(own.executor, 'order');
    await own.configure({ order: { ...INPROC, log: true } });
    const { role, url } = await own.roleWith(
      'GRANT USAGE ON SCHEMA $schema TO $role',
      'GRANT SELECT ON id_segment TO $role',
    );
    const grants = segmentGrants(role, { log: true }).trimEnd().replaceAll('\n', ' ');
    const { code, rows } = await rowsOf(own, url);
    expect(code).toBe(1);
    expect(rows[0]).toBe(
      `wrong table id_segment: role "${role}" lacks UPDATE (max_id) and INSERT (high, low, owner, server_name) on id_segment_log, ` +
        `which generators.order needs: ${grants}`,
    );
    await own.executor.execute(
      'GRANT UPDATE (max_id) ON id_segment TO $role'.replace('$role', `"${role}"`),
      [],
    );
    const insert = `GRANT INSERT (server_name, low, high, owner) ON id_segment_log TO "${role}"`;
    await own.executor.execute(insert, []);
    expect((await rowsOf(own, url)).rows[0]).toBe(
      `warning table id_segment: role "${role}" lacks UPDATE (database_id, last_xact, minute_began, minute_ids, noticed, peak_rate, reigns, reigns_lost, seconds_lost, system_id, timeline), ` +
        `so restores and promotions are not noticed, or too few ids skipped: ${grants}`,
    );
  });

  it('is content with the least rights, column by column', async () => {
    const own = await openOwnSchema();
    await ensureSchema(own.executor);
    await createSequence(own.executor, 'order');
    await own.configure({ order: INPROC });
    const { role, url } = await own.roleWith('GRANT USAGE ON SCHEMA $schema TO $role');
    await own.executor.execute(segmentGrants(role), []);
    expect(await rowsOf(own, url)).toEqual({
      code: 0,
      rows: [
        `ok table id_segment: present, with all rights of role "${role}"`,
        'ok sequence order: reserved up to 0',
        'ok generator order: segment-inproc opens, not-ready',
      ],
    });
  });

  it('names a schema that the role may not use', async () => {
    const own = await openOwnSchema();
    const table = `${own.schema}.id_segment`;
    await ensureSchema(own.executor, { table });
    await own.configure({ order: { ...INPROC, table } });
    const { role, url } = await own.roleWith();
    expect((await rowsOf(own, url)).rows[0]).toBe(
      `wrong table ${table}: role "${role}" lacks USAGE on schema "${own.schema}", which generators.order needs: ` +
        segmentGrants(role, { table }).trimEnd().replaceAll('\n', ' '),
    );
  });
});

describe('ids doctor, of a column', () => {
  it('names what is missing, and what the role may not read, beside all the rest', async () => {
    const own = await openOwnSchema();
    await ensureSchema(own.executor);
    await createSequence(own.executor, 'order');
    const { role, url } = await own.roleWith('GRANT USAGE ON SCHEMA $schema TO $role');
    await own.executor.execute(segmentGrants(role), []);
    const look = async (column: string) => {
      await own.configure({ order: { ...INPROC, column } });
      const { code, rows } = await rowsOf(own, url);
      expect(rows[1]).toBe('ok sequence order: reserved up to 0');
      expect(rows.at(-1)).toBe('ok generator order: segment-inproc opens, not-ready');
      return { code, row: rows[2] };
    };
    expect(await look('orders.id')).toEqual({
      code: 1,
      row: expect.stringContaining(
        `wrong column orders.id: there is no table orders on the search path (${own.schema})`,
      ),
    });
    await own.executor.execute('CREATE TABLE orders (id bigint)', []);
    expect((await look('orders.no')).row).toBe(
      `wrong column orders.no: there is no such column in table ${own.schema}.orders`,
    );
    const grant = `GRANT SELECT ("id") ON "${own.schema}"."orders" TO "${role}"`;
    expect((await look('orders.id')).row).toBe(
      `wrong column orders.id: role "${role}" may not read it: permission denied for table orders. ${grant}`,
    );
    await own.executor.execute(grant, []);
    expect(await look('orders.id')).toMatchObject({
      code: 0,
      row: expect.stringMatching(/^ok column orders\.id/),
    });
  });
});

describe('ids doctor, of a Redis', () => {
  it('names the user and the command that gives it its rights', async () => {
    const own = await openOwnSchema();
    const user = uniqueName('user');
    const admin = new Redis(inject('redisUrl'));
    await admin.call('ACL', 'SETUSER', user, 'on', '>hunter2hunter2', '+info', '+time', '~nothing');
    onTestFinished(async () => {
      await admin.call('ACL', 'DELUSER', user);
      admin.disconnect();
    });
    const redis = new URL(inject('redisUrl'));
    redis.username = user;
    redis.password = 'hunter2hunter2';
    const name = uniqueName('order');
    await own.configure({ [name]: { strategy: 'segment-redis-db' } });
    await own.ids(['apply']);
    const environment = { IDS_DATABASE_URL: own.url, IDS_REDIS_URL: redis.href };
    const refused = [await own.ids(['doctor'], environment), await own.ids(['next', name], environment)];
    const [statement = '', ...others] = refused.map(
      ({ stdout, stderr }) =>
        /Redis user "user_\w+" lacks a right: (ACL SETUSER [^\n]*)/.exec(stdout + stderr)?.[1],
    );
    expect(others).toEqual([statement]);
    expect(statement).toContain(`ACL SETUSER ${user} ~ids:{${name}} +eval`);
    const [command = '', ...words] = statement.split(' ');
    await admin.call(command, ...words);
    expect((await own.ids(['doctor'], environment)).code).toBe(0);
    expect((await own.ids(['next', name], environment)).stdout).toBe('1\n');
  });
});

describe('ids doctor, of a former primary', () => {
  it('says that it is refused, until a checked floor says which reigns it follows', async () => {
    const own = await openOwnSchema();
    const name = uniqueName('order');
    // The lease of a process that was refused is soon over.
    const order = { strategy: 'segment-redis-db', lockMs: 100 };
    await own.configure({ [name]: order });
    await own.ids(['apply']);
    await own.ids(['next', name]);
    const admin = new Redis(inject('redisUrl'));
    onTestFinished(() => admin.disconnect());
    const key = `ids:{${name}}`;
    const [mark = '', reign = ''] = await admin.hmget(key, 'm', 'rs');
    // As others leave it who met a successor, a later timeline of this system, and used up their segment.
    const successor = String(reign).replace(/\.[0-9A-F]{8}.*/, '.0000FFFF-00000000');
    await admin.hset(key, { rs: `${successor},${reign}`, v_l: Number(mark) + 1, m: Number(mark) + 50 });
    const doctor = async () => {
      const { code, stdout } = await own.ids(['doctor']);
      return {
        code,
        unchecked: /ids floor (?!.*--checked)/.test(stdout),
        refused: stdout.split('\n').some((row) => /^wrong\tsequence/.test(row) && row.includes(successor)),
      };
    };
    expect(await doctor()).toEqual({ code: 1, refused: true, unchecked: false });
    await own.configure({ [name]: { ...order, deadlineMs: 500 } });
    expect(await own.ids(['next', name])).toMatchObject({ code: 1, stdout: '' });
    await own.configure({ [name]: order });
    expect((await own.ids(['floor', name, String(Number(mark) + 50), '--checked'])).code).toBe(0);
    expect(await doctor()).toEqual({ code: 0, refused: false, unchecked: false });
    expect(Number((await own.ids(['next', name])).stdout)).toBeGreaterThan(Number(mark));
  });
});

describe('ids next', () => {
  it('names the generator, and what mends it', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: INPROC });
    const missing = await own.ids(['next', 'order']);
    expect(missing.code).toBe(3);
    expect(missing.stderr).toMatch(/^ids: generators\.order: segment table id_segment: /);
    expect(missing.stderr).toContain(
      'ids: missing: table id_segment, sequence order in table id_segment: if it never existed, create it with npx --no -- ids apply; if it was lost',
    );
    await own.ids(['apply']);
    const { role, url } = await own.roleWith('GRANT USAGE ON SCHEMA $schema TO $role');
    const right = 'SELECT (group_by, max_id, realm, server_name, time_zone) and UPDATE (max_id)';
    for (const argv of [
      ['next', 'order'],
      ['floor', 'order'],
    ]) {
      const { code, stderr } = await own.ids(argv, { IDS_DATABASE_URL: url });
      expect(code).toBe(3);
      expect(stderr).toMatch(/^ids: generators\.order: segment table id_segment: permission denied/);
      expect(stderr).toContain(`ids: role "${role}" lacks ${right}: ${segmentGrants(role).trimEnd()}\n`);
    }
  });
});
