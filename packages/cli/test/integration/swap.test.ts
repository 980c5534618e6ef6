import { Redis } from 'ioredis';
import { describe, expect, inject, it } from 'vitest';
import { openOwnSchema } from '../support/own-schema.js';

const INPROC = { strategy: 'segment-inproc' };

/** The findings of a plan about these, as `verdict from -> to`. */
async function plan(
  own: Awaited<ReturnType<typeof openOwnSchema>>,
  argv: readonly string[],
  environment: Readonly<Record<string, string>> = { IDS_DATABASE_URL: own.url },
) {
  const ran = await own.ids(['swap', ...argv, '--json'], environment);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  const { findings, floor } = JSON.parse(ran.stdout) as {
    findings: { about: string; verdict: string; from: string; to: string; advice?: string }[];
    floor?: string;
  };
  const about = (what: string) => findings.find((finding) => finding.about === what);
  return { floor, overlap: about('overlap'), sequence: about('sequence'), column: about('column') };
}

describe('ids swap', () => {
  it('has the column changed before it starts processes whose ids do not fit', async () => {
    const own = await openOwnSchema();
    await own.executor.execute('CREATE TABLE docs (id char(24))', []);
    await own.configure({
      before: { strategy: 'objectid', column: 'docs.id' },
      after: { strategy: 'uuid7' },
    });
    const { stdout } = await own.ids(['swap', '--from', 'before', '--to', 'after', '--json']);
    const { steps } = JSON.parse(stdout) as { steps: { do: string; text: string }[] };
    expect(steps.map((step) => step.do)).toEqual(['column', 'deploy', 'back']);
    expect(steps[0]?.text).toContain('docs.id character(24): it holds 24 characters, the ids have up to 36');
  });

  it('plans for a table that is not there yet, and says that it has to be made', async () => {
    const own = await openOwnSchema();
    await own.executor.execute('CREATE TABLE orders (id bigint)', []);
    await own.executor.execute('INSERT INTO orders VALUES (48001)', []);
    await own.configure({ order: { strategy: 'objectid', column: 'orders.id' } });
    const argv = ['--from', 'order', '--to', 'segment-redis-db'];
    expect(await plan(own, argv)).toEqual({
      floor: '48001',
      column: expect.objectContaining({ verdict: 'same' }),
      overlap: expect.objectContaining({ verdict: 'danger', from: 'up to 48001', to: 'from 1' }),
      sequence: {
        about: 'sequence',
        verdict: 'change',
        from: 'nothing missing',
        to: 'missing',
        advice: expect.stringMatching(`ids apply .*\\b48001\\b.*${own.schema}.orders.id`),
      },
    });
    await own.configure({ order: { ...INPROC, column: 'orders.id' }, other: INPROC });
    await own.ids(['apply']);
    const [done, lacking] = [
      await plan(own, ['--from', 'objectid', '--to', 'order', '--generator', 'order']),
      await plan(own, ['--from', 'objectid', '--to', 'other', '--generator', 'order']),
    ];
    expect(done).toMatchObject({ floor: undefined, overlap: { verdict: 'same' }, sequence: undefined });
    expect(lacking).toMatchObject({ floor: '48001', sequence: undefined });
  });

  it('plans for a sequence that is not there yet', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: INPROC });
    await own.ids(['apply']);
    await own.ids(['next', 'order']);
    await own.configure({ order: INPROC, bill: INPROC });
    const { floor, sequence } = await plan(own, ['--from', 'order', '--to', 'bill']);
    expect(Number(floor)).toBeGreaterThan(0);
    expect(sequence).toMatchObject({
      to: 'missing',
      advice: expect.stringContaining('(sequence bill in table'),
    });
    expect(await plan(own, ['--from', 'bill', '--to', 'order'])).toMatchObject({
      overlap: { verdict: 'danger', from: 'not known' },
      sequence: { from: 'missing', to: 'nothing missing' },
    });
  });

  it('leaves room for what a restore skips a day later, at the rate of the row', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: INPROC, bill: INPROC });
    await own.ids(['apply']);
    const floorAt = async (rate: number): Promise<number> => {
      await own.executor.execute(`UPDATE id_segment SET peak_rate = ${rate} WHERE server_name = 'order'`, []);
      return Number((await plan(own, ['--from', 'order', '--to', 'bill'])).floor);
    };
    const slow = await floorAt(10);
    expect(await floorAt(1_000)).toBe(slow);
    expect((await floorAt(50_000)) - slow).toBeGreaterThan(4 * 49_000 * 86_400);
  });

  it('knows one sequence for one, made or not', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: INPROC });
    const argv = ['--from', 'order', '--to', 'segment-redis-db'];
    const before = await plan(own, argv);
    expect(before).toMatchObject({ overlap: { from: 'the same sequence' }, sequence: { to: 'missing' } });
    await own.ids(['apply']);
    expect(await plan(own, argv)).toMatchObject({
      overlap: { from: 'the same sequence' },
      sequence: undefined,
    });
  });

  it.each([[true], [false]])('leaves no ids under an old prefix, with keys: %s', async (keyed) => {
    const own = await openOwnSchema();
    const [before, after] = [`${own.schema}-old[1]:`, `${own.schema}-new:`];
    const steps = { minStep: 10, maxStep: 10 };
    const fast = { strategy: 'segment-redis-db', name: 'a[b]', ...steps, ...(keyed && { keyed }) };
    const oldOne = { ...fast, keyPrefix: before };
    const newOne = { ...fast, keyPrefix: after };
    await own.configure({ before: oldOne, after: newOne });
    await own.ids(['apply']);
    const next = async (name: string) =>
      Number((await own.ids(['next', name, ...(keyed ? ['--key', 'x'] : [])])).stdout);
    const warned = async () => {
      const { stdout } = await own.ids(['doctor', '--json']);
      const { checks } = JSON.parse(stdout) as { checks: { status: string; detail: string }[] };
      return checks.filter(({ detail }) => detail.includes('keyPrefix'));
    };
    const first = await next('before');
    expect(await warned()).toHaveLength(2);
    const argv = ['swap', '--from', 'before', '--to', 'after', '--in-order', '--json'];
    const planned = async (...more: string[]) =>
      JSON.parse((await own.ids([...argv, ...more])).stdout) as {
        findings: { about: string }[];
        steps: { do: string; key?: string }[];
      };
    const { findings, steps: running } = await planned();
    expect(findings).toContainEqual(expect.objectContaining({ about: 'order in the swap' }));
    expect(running.map((step) => step.do)).toEqual(['stop', 'again']);
    const stopped = (await planned('--stopped')).steps;
    expect(stopped.map((step) => [step.do, step.key])).toEqual([
      ['forget', `${after}{a[b]}`],
      ['forget', `${before}{a[b]}`],
      ['deploy', undefined],
      ['back', undefined],
    ]);
    await own.configure({ after: newOne });
    expect(await warned()).toMatchObject([
      { status: 'warning', detail: expect.stringContaining(`DEL '${before}{a[b]}'`) },
    ]);
    const redis = new Redis(inject('redisUrl'));
    for (const { key } of stopped) if (key !== undefined) await redis.del(key);
    redis.disconnect();
    expect(await warned()).toEqual([]);
    expect(await next('after')).toBeGreaterThan(first + 9);
  });

  it('names the server and the database of a key to delete, without the password', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: INPROC, bill: { strategy: 'segment-redis-db', keyPrefix: "it's:" } });
    const environment = { IDS_DATABASE_URL: own.url, IDS_REDIS_URL: 'rediss://shop:secret@[::1]:1/2' };
    await own.ids(['apply'], environment);
    await own.ids(['floor', 'order', '5'], environment);
    const { stdout } = await own.ids(['swap', '--from', 'order', '--to', 'bill', '--json'], environment);
    expect(JSON.parse(stdout).steps).toContainEqual(
      expect.objectContaining({
        command: `redis-cli -h '::1' -p 1 -n 2 --tls --user 'shop' --askpass DEL 'it'\\''s:{bill}'`,
      }),
    );
  });

  it('keeps the ids of a key in order from Redis to the database and back, step by step', async () => {
    const own = await openOwnSchema();
    const keyPrefix = `${own.schema}:`;
    await own.configure({
      message: { ...INPROC, order: 'real-time', keyed: true },
      fast: { strategy: 'segment-redis-db', name: 'message', keyed: true, keyPrefix, minStep: 10 },
    });
    await own.ids(['apply']);
    const ids: number[] = [];
    const next = async (generator: string) =>
      ids.push(Number((await own.ids(['next', generator, '--key', 'a'])).stdout));
    const steps = async (from: string, to: string) => {
      const argv = ['swap', '--from', from, '--to', to, '--in-order', '--stopped', '--json'];
      const { stdout } = await own.ids(argv);
      return (JSON.parse(stdout) as { steps: { do: string; key?: string }[] }).steps;
    };
    await next('fast');
    expect((await steps('fast', 'message')).map((step) => step.do)).toEqual(['deploy', 'back']);
    await next('message');
    // Of what Redis has, 9 are left.
    const back = await steps('message', 'fast');
    expect(back.map((step) => step.do)).toEqual(['forget', 'deploy', 'back']);
    const redis = new Redis(inject('redisUrl'));
    for (const { key } of back) if (key !== undefined) await redis.del(key);
    redis.disconnect();
    await next('fast');
    expect(ids).toEqual([1, 11, 12]);
  });

  it('warns of another key for the ids of one sequence', async () => {
    const own = await openOwnSchema();
    const encode = { as: 'crockford', obfuscate: true };
    const keyed = (key: string) => ({ ...INPROC, name: 'order', encode: { ...encode, key: key.repeat(16) } });
    await own.configure({ order: keyed('a1'), again: keyed('A1'), other: keyed('b2') });
    await own.ids(['apply']);
    expect(await plan(own, ['--from', 'order', '--to', 'again'])).toMatchObject({
      overlap: { verdict: 'same', from: 'the same sequence' },
    });
    expect(await plan(own, ['--from', 'order', '--to', 'other'])).toMatchObject({
      floor: undefined,
      overlap: { verdict: 'danger', advice: expect.stringContaining('keep "encode" as it was') },
    });
  });

  it('knows the type under a domain, and how many digits it holds', async () => {
    const own = await openOwnSchema();
    await own.executor.execute('CREATE DOMAIN order_no AS integer', []);
    await own.executor.execute('CREATE DOMAIN short_no AS numeric(8, 2)', []);
    await own.executor.execute('CREATE DOMAIN code AS varchar(9)', []);
    const columns = 'a order_no, b short_no, c code, d numeric(12), e numeric(3, -7), f numeric, g date';
    await own.executor.execute(`CREATE TABLE orders (${columns})`, []);
    await own.configure({ order: INPROC });
    const found = async (name: string) => {
      const argv = ['--from', 'order', '--to', 'order', '--column', `orders.${name}`];
      const { column } = await plan(own, argv);
      const [most] = /\b\d{5,}\b/.exec(column?.advice ?? '') ?? [];
      return [column?.verdict, column?.from, most].filter(Boolean).join(' ');
    };
    expect(await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(found))).toEqual([
      'danger orders.a integer 2147483647',
      'danger orders.b numeric(6) 999999',
      'danger orders.c character varying(9)',
      'danger orders.d numeric(12) 999999999999',
      'danger orders.e numeric(10) 9999999999',
      'same orders.f numeric',
      'change orders.g date',
    ]);
  });

  it('judges the column of the new ids as well, where it is another one', async () => {
    const own = await openOwnSchema();
    await own.executor.execute('CREATE TABLE orders (id bigint, code varchar(8))', []);
    const after = { strategy: 'snowflake', as: 'string', column: 'orders.code' };
    await own.configure({ before: { ...INPROC, column: 'orders.id' }, after });
    const { stdout } = await own.ids(['swap', '--from', 'before', '--to', 'after', '--json']);
    expect(JSON.parse(stdout).findings).toContainEqual(
      expect.objectContaining({ verdict: 'danger', from: 'orders.code character varying(8)' }),
    );
  });

  it('plans without the URLs of servers that nobody has set up yet', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: { strategy: 'objectid' } });
    const { sequence } = await plan(own, ['--from', 'order', '--to', 'segment-redis-db'], {});
    await own.configure({ order: { strategy: 'segment-inproc' } });
    const twice = await plan(own, ['--from', 'order', '--to', 'segment-redis-db'], {});
    expect(twice.overlap).toMatchObject({ from: 'the same sequence' });
    expect(sequence?.advice).toContain('(a database: set IDS_DATABASE_URL)');
    await own.configure({ order: { strategy: 'objectid', column: 'orders.id' } });
    const asked = await own.ids(['swap', '--from', 'order', '--to', 'segment-redis-db'], {});
    expect(asked).toMatchObject({ code: 3, stderr: expect.stringContaining('IDS_DATABASE_URL') });
  });

  it('sees no overlap between numbers and gpids', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: INPROC });
    await own.ids(['apply']);
    expect(await plan(own, ['--from', 'order', '--to', 'gpid'])).toMatchObject({
      floor: undefined,
      overlap: { verdict: 'same' },
    });
  });
});
