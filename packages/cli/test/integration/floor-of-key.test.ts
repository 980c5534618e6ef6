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
    expect(await floor('--key', KEY)).toMatchObject({ code: 0, stderr: '' });
    await own.next(KEY);
    expect(await floor('1000', '--key', KEY)).toMatchObject({ code: 0, stderr: expect.stringMatching(/./) });
    expect(await floor('1000', '--key', KEY)).toMatchObject({ code: 0, stderr: '' });
    expect(await own.next(KEY)).toBe('1001\n');
    expect(await floor('70', '--key', 'born')).toMatchObject({ code: 0 });
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
    expect((await floor('--key', KEY)).stdout).toContain(` ${start}\n`);
    for (const [key, least] of [
      [KEY, start + 42n],
      ['known', first],
    ] as const) {
      const refused = await floor('500', '--key', key);
      expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(`${least}`) });
    }
    expect((await floor(`${start + 70n}`, '--key', KEY)).code).toBe(0);
    expect(await own.next(KEY)).toBe(`${start + 71n}\n`);
    // Of the family, a floor of an earlier year changes nothing about where new keys start.
    for (const args of [[], ['500']]) {
      expect((await floor(...args)).stdout).toContain(` ${start}\n`);
    }
    const { stdout } = await floor('--json');
    expect(JSON.parse(stdout)).toMatchObject({ maxId: 500, startAfter: Number(start) });
    expect((await floor(`${start + 90n}`)).code).toBe(0);
    expect(await own.next('newer')).toBe(`${start + 91n}\n`);
  });

  it('say what cannot be: a lower floor, none, a key of a generator without keys', async () => {
    const own = await openMessages();
    await own.configure({ message: KEYED, order: { strategy: 'segment-inproc' } });
    await own.ids('apply');
    await own.ids('floor', 'message', '500', '--key', KEY);
    for (const [args, code] of [
      [['message', '70', '--key', KEY], 1],
      [['message', '0', '--key', 'new'], 1],
      [['message', '--key', KEY, '--checked'], 2],
      [['order', '--key', KEY], 3],
    ] as const) {
      expect(await own.ids('floor', ...args)).toMatchObject({ code, stdout: '' });
    }
    expect((await own.ids('floor', 'message', '--key', KEY)).stdout).toContain(' 500\n');
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
      kind.dialect === 'mysql' ? /^ids: .*information_schema\.INNODB_TRX/ : /^ids: .*\b\d+\b.*\n$/,
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
    expect(shown).toMatchObject({ code: 0, stderr: expect.stringMatching(/./) });
    const { stdout } = await own.ids('floor', 'message', '--key', KEY, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ maxId: 1, nextAbove: null, superseded: true });
  });

  it('say who reserved an ID of it, and raise it below none that the grant log knows', async () => {
    const own = await openMessages({ log: true, owner: 'node-1' });
    await own.next(KEY);
    const { stdout } = await own.ids('inspect', '1', '--key', KEY);
    expect(stdout).toMatch(/owner\tnode-1\t\nsegment\t1\.\.1\t\n/);
    expect((await own.ids('inspect', '2', '--key', KEY)).stdout).toMatch(/^owner\tunknown/m);
    expect((await own.ids('inspect', '1')).stdout).not.toContain('node-1');
    // As if the table of the keys had gone back. As text, 9 is above 50.
    for (const grant of ['9, 9', '41, 50']) {
      const columns = 'family, sequence_key, low, high, owner';
      const rows = `SELECT family, sequence_key, ${grant}, owner FROM ${own.table}_key_log WHERE low = 1`;
      await own.run(`INSERT INTO ${own.table}_key_log (${columns}) ${rows}`);
    }
    const refused = await own.ids('floor', 'message', '45', '--key', KEY);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(new RegExp(`${own.table}_key_log.*\\b50\\b.*\\b46\\b`));
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
    expect(refused.stderr).toContain(record);
    expect(await own.ids('floor', 'message', '20', '--key', KEY, '--checked')).toMatchObject({ code: 0 });
    expect((await own.ids('next', 'message', '--key', KEY)).stdout).toBe('2\n');
    await own.configure({
      message: { strategy: 'segment-redis-db', keyed: true, redis: 'redis://127.0.0.1:1' },
    });
    const unread = await own.ids('floor', 'message', '50', '--key', KEY, '--checked');
    expect(unread).toMatchObject({ code: 1, stdout: '' });
    expect(unread.stderr).toContain('--checked');
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
    expect(await own.ids('inspect', '1', '--key', KEY)).toMatchObject({ code: 3, stdout: '' });
  });
});
