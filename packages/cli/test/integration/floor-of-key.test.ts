import { SQL_DIALECTS } from '@ids/local-services/dialects';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openOwnTable } from '../support/own-table.js';

const KEYED = { strategy: 'segment-inproc', order: 'real-time', keyed: true } as const;
const KEY = 'group:42';

describe.each(SQL_DIALECTS)('ids floor and inspect of one key on $server', (kind) => {
  async function openMessages(options: object = {}) {
    const own = await openOwnTable(kind);
    await own.configure({ message: { ...KEYED, ...options } });
    expect(await own.ids('apply')).toMatchObject({ code: 0 });
    const next = async (key: string) => (await own.ids('next', 'message', '--key', key)).stdout;
    return { ...own, next };
  }

  it('show where it stands, and raise it, or a new one', async () => {
    const own = await openMessages();
    const floor = (...args: string[]) => own.ids('floor', 'message', ...args);
    expect(await floor('--key', KEY)).toEqual({
      code: 0,
      stdout: 'key "group:42" of family message is new: it starts after 0\n',
      stderr: '',
    });
    await own.next(KEY);
    expect((await floor('--key', KEY)).stdout).toBe('key "group:42" of family message is reserved up to 1\n');
    expect(await floor('1000', '--key', KEY)).toEqual({
      code: 0,
      stdout: 'key "group:42" of family message was raised from 1 to 1000\n',
      stderr: 'ids: processes and Redis still issue the IDs of this key that they hold\n',
    });
    expect(await floor('1000', '--key', KEY)).toMatchObject({ code: 0, stderr: '' });
    expect(await own.next(KEY)).toBe('1001\n');
    expect((await floor('70', '--key', 'born')).stdout).toBe(
      'key "born" of family message is new, and was raised to 70\n',
    );
    expect(await own.next('born')).toBe('71\n');
    expect(await own.next('other')).toBe('1\n');
    const { stdout } = await floor('--key', KEY, '--json');
    expect(JSON.parse(stdout)).toEqual({
      generator: 'message',
      family: 'message',
      key: KEY,
      before: 1_001,
      maxId: 1_001,
      nextAbove: 1_001,
    });
  });

  it('count from the beginning of the year for a family that restarts with it', async () => {
    const own = await openMessages({ group: { by: 'year', timeZone: '+08:00' } });
    const floor = (...args: string[]) => own.ids('floor', 'message', ...args);
    const first = BigInt(await own.next('known'));
    const start = first - 1n;
    expect((await floor('--key', KEY)).stdout).toBe(
      `key "group:42" of family message is new: it starts after ${start}\n`,
    );
    for (const [key, error] of [
      [KEY, `such as ${start + 42n} for number 42, and at most ${start + 999_999_999_999n}, got 500`],
      ['known', `the floor must be ${first} or more, got 500`],
    ] as const) {
      const refused = await floor('500', '--key', key);
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toContain(error);
    }
    expect((await floor(`${start + 70n}`, '--key', KEY)).stdout).toBe(
      `key "group:42" of family message is new, and was raised to ${start + 70n}\n`,
    );
    expect(await own.next(KEY)).toBe(`${start + 71n}\n`);
    // Of the family, a floor of an earlier year changes nothing about where new keys start.
    for (const args of [[], ['500']]) {
      expect((await floor(...args)).stdout).toBe(`new keys of family message start after ${start}\n`);
    }
    const { stdout } = await floor('--json');
    expect(JSON.parse(stdout)).toMatchObject({ maxId: 500, startAfter: Number(start) });
    expect((await floor(`${start + 90n}`)).stdout).toBe(
      `new keys of family message start after ${start + 90n}, no longer after ${start}\n`,
    );
    expect(await own.next('newer')).toBe(`${start + 91n}\n`);
  });

  it('say what cannot be: a lower floor, none, a key of a generator without keys', async () => {
    const own = await openMessages();
    await own.configure({ message: KEYED, order: { strategy: 'segment-inproc' } });
    await own.ids('apply');
    await own.ids('floor', 'message', '500', '--key', KEY);
    for (const [args, code, error] of [
      [['message', '70', '--key', KEY], 1, 'can only be raised: the floor must be 500 or more, got 70'],
      [['message', '0', '--key', 'new'], 1, 'the floor must be 1 or more, got 0'],
      [['message', '--key', KEY, '--checked'], 2, 'ids floor message <ID> --key <key>'],
      [['order', '--key', KEY], 3, 'generators.order issues IDs of one sequence: leave --key out'],
    ] as const) {
      const ran = await own.ids('floor', ...args);
      expect(ran).toMatchObject({ code, stdout: '' });
      expect(ran.stderr).toContain(error);
    }
    expect((await own.ids('floor', 'message', '--key', KEY)).stdout).toContain('is reserved up to 500\n');
  });

  it('name who makes all others wait for it', async () => {
    const own = await openMessages();
    await own.next(KEY);
    const session = kind.connect(own.url);
    onTestFinished(() => session.end());
    const release = await session.hold(kind.lockRows(`${own.table}_key`));
    const { stderr } = await own.ids('floor', 'message', '--key', KEY);
    await release();
    expect(stderr).toMatch(
      kind.dialect === 'mysql'
        ? /^ids: its row is locked by another transaction; information_schema.INNODB_TRX/
        : /^ids: its row is locked by process \d+, .*: calls for this key wait for it\n$/,
    );
    expect((await own.ids('floor', 'message', '--key', KEY)).stderr).toBe('');
  });

  it.runIf(kind.dialect === 'postgres')('say that another primary has followed this server', async () => {
    const own = await openMessages();
    await own.next(KEY);
    for (const table of [own.table, `${own.table}_key`])
      await own.run(`UPDATE ${table} SET timeline = 'FFFFFFFF'`);
    expect(await own.ids('next', 'message', '--key', KEY)).toMatchObject({ code: 1, stdout: '' });
    const shown = await own.ids('floor', 'message', '--key', KEY);
    expect(shown).toEqual({
      code: 0,
      stdout: 'key "group:42" of family message is reserved up to 1\n',
      stderr:
        'ids: another primary has replaced this server, which issues no more IDs: connect to that one\n',
    });
    const { stdout } = await own.ids('floor', 'message', '--key', KEY, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ maxId: 1, nextAbove: null, superseded: true });
  });

  it('say who reserved an ID of it, and raise it below none that the grant log knows', async () => {
    const own = await openMessages({ log: true, owner: 'node-1' });
    await own.next(KEY);
    const { stdout } = await own.ids('inspect', '1', '--key', KEY);
    expect(stdout).toMatch(/owner\tnode-1\t\nsegment\t1\.\.1\t\n/);
    expect((await own.ids('inspect', '2', '--key', KEY)).stdout).toMatch(/^owner\tunknown: .*above/m);
    expect((await own.ids('inspect', '1')).stdout).not.toContain('node-1');
    // As if the table of the keys had gone back. As text, 9 is above 50.
    for (const grant of ['9, 9', '41, 50']) {
      const columns = 'family, sequence_key, low, high, owner';
      const rows = `SELECT family, sequence_key, ${grant}, owner FROM ${own.table}_key_log WHERE low = 1`;
      await own.run(`INSERT INTO ${own.table}_key_log (${columns}) ${rows}`);
    }
    const refused = await own.ids('floor', 'message', '45', '--key', KEY);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(
      `floor 45 is too low: the grant log ${own.table}_key_log holds 50, so ids from 46 to 50 may be issued again`,
    );
    expect(await own.ids('floor', 'message', '45', '--key', KEY, '--force')).toMatchObject({ code: 0 });
    expect(await own.ids('floor', 'message', '50', '--key', KEY)).toMatchObject({ code: 0 });
  });

  it('raise it below nothing that Redis knows to be reserved', async () => {
    const own = await openOwnTable(kind);
    await own.configure({ message: { strategy: 'segment-redis-db', keyed: true, minStep: 20 } });
    await own.ids('apply');
    expect((await own.ids('next', 'message', '--key', KEY)).stdout).toBe('1\n');
    // As if the table of the keys had gone back, with the key.
    await own.run(`DROP TABLE ${own.table}_key`);
    await own.ids('apply');
    const record = `${own.table}:{message}:${KEY}`;
    const refused = await own.ids('floor', 'message', '7', '--key', KEY, '--checked');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(
      `floor 7 is too low: the record of ${record} in Redis holds 20, so ids from 8 to 20`,
    );
    expect(await own.ids('floor', 'message', '20', '--key', KEY, '--checked')).toMatchObject({ code: 0 });
    expect((await own.ids('next', 'message', '--key', KEY)).stdout).toBe('2\n');
    await own.configure({
      message: { strategy: 'segment-redis-db', keyed: true, redis: 'redis://127.0.0.1:1' },
    });
    const unread = await own.ids('floor', 'message', '50', '--key', KEY, '--checked');
    expect(unread).toMatchObject({ code: 1, stdout: '' });
    expect(unread.stderr).toMatch(
      /floor 50 cannot be compared with the record of .* in Redis: .*without --checked/,
    );
    expect(await own.ids('floor', 'message', '50', '--key', KEY)).toMatchObject({ code: 0 });
  });

  it('show what its row and Redis have of a key', async () => {
    const own = await openOwnTable(kind);
    const fast = { strategy: 'segment-redis-db', keyed: true, minStep: 20 } as const;
    await own.configure({ fast, message: KEYED, order: { strategy: 'segment-inproc' } });
    await own.ids('apply');
    const inspect = async (name: string) => {
      const { code, stdout, stderr } = await own.ids('inspect', name, '--key', KEY, '--json');
      const { readings } = JSON.parse(stdout) as { readings: { parts: { name: string; value: string }[] }[] };
      const parts = readings.flatMap((reading) =>
        reading.parts.map(({ name: part, value }) => [part, value]),
      );
      return { code, stderr, parts: Object.fromEntries(parts) };
    };
    const row = { key: KEY, row: own.table };
    const record = `${own.table}:{fast}:${KEY}`;
    const said = { code: 0, stderr: '' };
    expect(await inspect('message')).toEqual({ ...said, parts: { ...row, reserved: 'none' } });
    const nothing = { ...row, reserved: 'none', record, state: 'missing' };
    expect(await inspect('fast')).toEqual({ ...said, parts: nothing });
    for (const name of ['message', 'fast']) await own.ids('next', name, '--key', KEY);
    expect(await inspect('message')).toEqual({ ...said, parts: { ...row, reserved: '1' } });
    const held = { state: 'dispensing', left: '2..20', mark: '20', step: '20' };
    expect(await inspect('fast')).toEqual({ ...said, parts: { ...row, reserved: '20', record, ...held } });
    expect((await own.ids('inspect', 'fast', '--key', KEY)).stdout).toMatch(/^left\t2\.\.20\t19 IDs$/m);
    expect(await own.ids('inspect', 'order', '--key', KEY)).toMatchObject({ code: 3, stdout: '' });
    await own.configure({ fast: { ...fast, redis: 'redis://127.0.0.1:1' } });
    const unread = await inspect('fast');
    expect(unread).toMatchObject({ code: 1, parts: { ...row, reserved: '20' } });
    expect(unread.stderr).toContain('127.0.0.1:1');
  });

  it('are told when no generator has keys', async () => {
    const own = await openOwnTable(kind);
    await own.configure({ order: { strategy: 'segment-inproc' } });
    const ran = await own.ids('inspect', '1', '--key', KEY);
    expect(ran).toMatchObject({ code: 3, stdout: '' });
    expect(ran.stderr).toContain('no generator here issues IDs by key');
  });
});
