import { SQL_DIALECTS } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { SqlSegmentSource } from '@ids/segment/sql';
import { Redis } from 'ioredis';
import { describe, expect, inject, it } from 'vitest';
import { type OwnTable, openOwnTable } from '../support/own-table.js';

const SKIP = 1_000_000;
const INPROC = {
  strategy: 'segment-inproc',
  minStep: 10,
  maxStep: 10,
  afterRestore: SKIP,
  afterFailover: SKIP,
};

/** The rows of `doctor` about sequences, without warnings, which depend on the server. */
async function sequenceRows(own: OwnTable): Promise<{ code: number; rows: string[] }> {
  const { code, stdout } = await own.ids('doctor');
  const rows = stdout.split('\n').filter((line) => /^(?:ok|wrong)\tsequence /.test(line));
  return { code, rows };
}

describe.each(SQL_DIALECTS)('ids on $server, with a table that lost reservations', (kind) => {
  /** Dumps the table with 1,000 ids reserved, lets another 8,000 be reserved, and restores it. */
  async function openRestored(options: object = {}): Promise<OwnTable> {
    const own = await openOwnTable(kind);
    await own.configure({ order: { ...INPROC, ...options } });
    expect(await own.ids('apply')).toMatchObject({ code: 0 });
    const source = new SqlSegmentSource(own.executor, { table: own.table });
    await source.reserve('order', 1_000);
    const restore = await own.dump();
    await source.reserve('order', 8_000);
    await injectFault(restore);
    return own;
  }

  faultTest('keeps what is skipped, above a floor that is too low', async () => {
    const own = await openRestored();
    const raised = await own.ids('floor', 'order', '8000');
    expect(raised).toMatchObject({ code: 0, stdout: 'sequence order was raised from 1000 to 8000\n' });
    expect(raised.stderr).toMatch(
      /ids: its row was restored.*npx --no -- ids next order: that skips the ids/,
    );
    expect((await own.ids('next', 'order')).stdout).toBe(`${8_000 + SKIP + 1}\n`);
    expect((await own.ids('floor', 'order')).stderr).toBe('');
  });

  faultTest('leaves room for what it skips, beside a sequence that follows it', async () => {
    const own = await openOwnTable(kind);
    const from = { ...INPROC, afterFailover: 0, afterRestore: 1_000 };
    await own.configure({ from, to: { ...INPROC, afterRestore: 0 } });
    await own.ids('apply');
    const old = await own.open('from');
    const ids = [...(await old.nextBatch(30))];
    const plan = await own.ids('swap', '--from', 'from', '--to', 'to', '--room', '100', '--json');
    await own.ids('floor', 'to', JSON.parse(plan.stdout).floor);
    const restore = await own.dump();
    ids.push(...(await old.nextBatch(30)));
    await injectFault(restore);
    ids.push(...(await old.nextBatch(30)));
    expect(ids.at(-1)).toBeGreaterThan(1_000);
    const young = await own.open('to');
    ids.push(...(await young.nextBatch(2_000)));
    expect(new Set(ids).size).toBe(ids.length);
  });

  faultTest('skips nothing above a floor that was checked', async () => {
    const own = await openRestored({ afterRestore: 'refuse' });
    const { stderr } = await own.ids('floor', 'order', '8000');
    expect(stderr).toContain('then npx --no -- ids floor order <the highest ID that anybody saw> --checked');
    expect(await own.ids('next', 'order')).toMatchObject({ code: 1, stdout: '' });
    expect(await own.ids('floor', 'order', '9000', '--checked')).toMatchObject({ code: 0 });
    expect((await own.ids('next', 'order')).stdout).toBe('9001\n');
  });

  faultTest('is not used by the doctor, even if its generator fills Redis when it is opened', async () => {
    const { minStep, maxStep, ...kept } = INPROC;
    const own = await openRestored({ ...kept, strategy: 'segment-redis-db' });
    const { code, stdout } = await own.ids('doctor');
    expect(code).toBe(1);
    expect(stdout).toContain('wrong\tgenerator order\tnot opened, because of its sequence');
    const { stdout: reserved, stderr } = await own.ids('floor', 'order');
    expect(reserved).toBe('sequence order is reserved up to 1000\n');
    // It would take an id of Redis, if there is one, and end nothing.
    expect(stderr).not.toContain('ids next');
    expect((await own.ids('next', 'order')).stdout).toBe(`${1_000 + SKIP + 1}\n`);
  });

  faultTest('is wrong for the doctor, which names what to do and changes nothing', async () => {
    const own = await openRestored();
    for (let twice = 0; twice < 2; twice++) {
      const { code, rows } = await sequenceRows(own);
      expect(code).toBe(1);
      expect(rows).toEqual([
        'ok\tsequence order\treserved up to 1000',
        expect.stringMatching(
          /^wrong\tsequence order\t.*restored.* skips at least 1000000 ids\. If more .*npx --no -- ids floor order <.*npx --no -- ids next order/,
        ),
      ]);
    }
    expect((await own.ids('next', 'order')).stdout).toBe(`${1_000 + SKIP + 1}\n`);
    expect((await sequenceRows(own)).code).toBe(0);
  });
});

describe.each(SQL_DIALECTS.filter(({ dialect }) => dialect === 'postgres'))(
  'ids on $server, with a row that was restored on a server that was promoted',
  (kind) => {
    const CAREFUL = { ...INPROC, afterFailover: 'refuse' };
    const ELSEWHERE = "timeline = '00000000', database_id = 1";

    faultTest('advises the floor that ends the refusal of a sequence', async () => {
      const own = await openOwnTable(kind);
      await own.configure({ order: CAREFUL });
      await own.ids('apply');
      await own.ids('next', 'order');
      await injectFault(() => own.run(`UPDATE ${own.table} SET ${ELSEWHERE}`));
      expect((await own.ids('next', 'order')).stderr).toContain('its row was restored');
      const advice = /then npx --no -- ids floor order <.*> --checked/;
      expect((await sequenceRows(own)).rows[1]).toMatch(advice);
      const { stderr } = await own.ids('floor', 'order');
      expect(stderr).toMatch(advice);
      expect(stderr).not.toContain('ids next');
      await own.ids('floor', 'order', '10', '--checked');
      expect((await own.ids('next', 'order')).stdout).toBe('11\n');
    });

    faultTest('advises the floor that ends the refusal of a key', async () => {
      const own = await openOwnTable(kind);
      const { minStep, maxStep, ...options } = CAREFUL;
      await own.configure({ message: { ...options, order: 'real-time', keyed: true } });
      await own.ids('apply');
      await own.ids('next', 'message', '--key', 'a');
      await injectFault(() => own.run(`UPDATE ${own.table}_key SET ${ELSEWHERE}`));
      expect((await own.ids('next', 'message', '--key', 'a')).stderr).toContain('its row was restored');
      const { stderr } = await own.ids('floor', 'message', '--key', 'a');
      expect(stderr).toMatch(/then npx --no -- ids floor message <.*> --key 'a' --checked/);
      expect(stderr).not.toContain('ids next');
      await own.ids('floor', 'message', '10', '--key', 'a', '--checked');
      expect((await own.ids('next', 'message', '--key', 'a')).stdout).toBe('11\n');
    });
  },
);

describe.each(SQL_DIALECTS)('ids on $server, with a sequence below ids that were issued', (kind) => {
  async function openOrders(options: object = {}): Promise<OwnTable> {
    const own = await openOwnTable(kind);
    await own.configure({ order: { ...INPROC, ...options, column: `${own.table}_orders.id` } });
    await own.run(`CREATE TABLE ${own.table}_orders (id ${'encode' in options ? 'varchar(30)' : 'bigint'})`);
    expect(await own.ids('apply')).toMatchObject({ code: 0 });
    return own;
  }

  it('raises it above the ids of a column only, unless told to repeat them', async () => {
    const own = await openOrders();
    await own.run(`INSERT INTO ${own.table}_orders VALUES (1), (14000)`);
    const home = kind.dialect === 'postgres' ? 'public' : new URL(own.url).pathname.slice(1);
    const repeats = `${home}.${own.table}_orders.id holds 14000, so ids from`;
    expect(await sequenceRows(own)).toEqual({
      code: 1,
      rows: [
        expect.stringMatching(
          `^wrong\tsequence order\treserved up to 0, but ${repeats} 1 to 14000 may .* stop .*npx --no -- ids floor order 14000`,
        ),
      ],
    });
    const low = await own.ids('floor', 'order', '9000');
    expect(low).toMatchObject({ code: 1, stdout: '' });
    expect(low.stderr).toContain(
      `floor 9000 is too low: ${repeats} 9001 to 14000 may be issued again; the floor must be 14000`,
    );
    for (const argv of [['apply'], ['apply', '--dry-run']]) {
      const refused = await own.ids(...argv);
      expect(refused).toMatchObject({ code: 3, stdout: '' });
      expect(refused.stderr).toMatch(/^ids: generators\.order: .* stop .*npx --no -- ids floor order 14000/);
    }
    expect((await own.ids('apply', '--force')).stdout).toBe('nothing to create\n');
    const shown = await own.ids('floor', 'order');
    expect(shown).toMatchObject({ stdout: 'sequence order is reserved up to 0\n' });
    expect(shown.stderr).toContain(`ids: ${repeats} 1 to 14000 may be issued again`);
    expect((await own.ids('floor', 'order', '9000', '--force')).stdout).toContain('raised from 0 to 9000');
    expect((await own.ids('floor', 'order', '14000')).stdout).toContain('raised from 9000 to 14000');
    expect((await sequenceRows(own)).code).toBe(0);
    expect((await own.ids('apply')).stdout).toBe('nothing to create\n');
  });

  it('takes ids that are issued while it looks for no loss', async () => {
    const own = await openOrders({ order: 'real-time' });
    const generator = await own.open('order');
    let runs = true;
    const service = Array.from({ length: 4 }, async () => {
      while (runs) await own.run(`INSERT INTO ${own.table}_orders VALUES (${await generator.next()})`);
    });
    const codes: number[] = [];
    while (codes.length < 10) for (const argv of ['doctor', 'apply']) codes.push((await own.ids(argv)).code);
    runs = false;
    await Promise.all(service);
    expect(new Set(codes)).toEqual(new Set([0]));
  });

  it('decodes the ids of a column, as far as it reads them', async () => {
    const own = await openOrders({ encode: { as: 'crockford', prefix: 'ord', width: 12 } });
    const [first = '', last = ''] = (await own.ids('next', 'order', '-n', '2')).stdout.split('\n');
    await own.run(`INSERT INTO ${own.table}_orders VALUES ('${first}'), ('${last}'), ('x')`);
    await own.run(...kind.lower(own.table, 'order', 1));
    expect((await sequenceRows(own)).rows[0]).toContain('holds 2, so ids from 2 to 2 may be issued again');
  });

  it('compares it with the grant log', async () => {
    const own = await openOrders({ log: true });
    const source = new SqlSegmentSource(own.executor, { table: own.table, log: true });
    for (const size of [300, 200]) await source.reserve('order', size);
    await own.run(...kind.lower(own.table, 'order', 20));
    const repeats = `the grant log ${own.table}_log holds 500, so ids from`;
    expect((await sequenceRows(own)).rows[0]).toContain(`${repeats} 21 to 500 may be issued again`);
    expect((await own.ids('floor', 'order', '499')).stderr).toContain(`${repeats} 500 to 500 may`);
    await own.run(`DROP TABLE ${own.table}`);
    expect((await own.ids('apply')).stdout).toContain(
      `created sequence order in table ${own.table}, after 500: the greatest id in the grant log ${own.table}_log`,
    );
  });

  it('compares it with the mark of each generator in Redis', async () => {
    const own = await openOwnTable(kind);
    const redis = (keyPrefix: string) => ({ strategy: 'segment-redis-db', name: 'order', keyPrefix });
    const prefixes = ['a', 'b'].map((end) => `${own.table}${end}:`);
    await own.configure({
      a: redis(prefixes[0] ?? ''),
      b: redis(prefixes[1] ?? ''),
      c: { ...INPROC, name: 'order' },
    });
    await own.ids('apply');
    for (const name of ['a', 'b']) expect(await own.ids('next', name)).toMatchObject({ code: 0 });
    const client = new Redis(inject('redisUrl'));
    const [, mark] = await Promise.all(prefixes.map((prefix) => client.hget(`${prefix}{order}`, 'm')));
    client.disconnect();
    await own.run(...kind.lower(own.table, 'order', 5));
    const repeats = `the mark of ${prefixes[1]}{order} in Redis holds ${mark}, so ids from 6 to ${mark}`;
    const { code, rows } = await sequenceRows(own);
    expect({ code, row: rows[0] }).toEqual({ code: 1, row: expect.stringContaining(repeats) });
    expect((await own.ids('floor', 'c', String(Number(mark) - 1))).stderr).toContain(
      'is too low: the mark of',
    );
    expect((await own.ids('apply')).stderr).toContain(repeats);
    await own.ids('floor', 'c', String(mark));
    expect((await own.ids('apply')).stderr).toBe('');
    await own.run(`DROP TABLE ${own.table}`);
    expect((await own.ids('apply')).stdout).toContain(`, after ${mark}: the greatest id in the mark of`);
  });

  it('says what it could not compare, which matters only for a floor that was checked', async () => {
    const own = await openOwnTable(kind);
    await own.configure({ order: { strategy: 'segment-redis-db', redis: 'redis://127.0.0.1:1' } });
    expect(await own.ids('apply')).toMatchObject({ code: 0 });
    const refused = await own.ids('floor', 'order', '50', '--checked');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /floor 50 cannot be compared with the mark of .* in Redis: .*without --checked/,
    );
    expect((await own.ids('floor', 'order', '50')).stderr).toContain('ids: not compared with the mark of');
    expect(await own.ids('floor', 'order', '60', '--checked', '--force')).toMatchObject({ code: 0 });
  });
});
