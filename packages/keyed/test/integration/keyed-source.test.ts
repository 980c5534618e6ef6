import { SQL_CLIENTS, SQL_DIALECTS, SQLITE } from '@ids/local-services/dialects';
import { fromPgUrl } from '@ids/segment/sql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { missingKeyedSchema, SqlKeyedSource } from '../../src/sql/index.js';
import { openKeyDatabase } from './key-database.js';

const LAST = 2 ** 53 - 1;
const now = { wait: false };

/** How a table becomes one that a crash empties, and what is said about it. */
const IMPERMANENT = {
  postgres: { alter: 'ALTER TABLE %t SET UNLOGGED', fault: 'not a permanent table' },
  mysql: { alter: 'ALTER TABLE %t ENGINE = Aria', fault: 'its engine is Aria' },
};

it('reads only the keys that it is asked for on Postgres, although its plan is older than they are', async () => {
  const kind = SQL_DIALECTS.find(({ dialect }) => dialect === 'postgres') as (typeof SQL_DIALECTS)[number];
  const { url, executor, session, table, keys } = await openKeyDatabase(kind);
  await executor.execute(`ALTER TABLE ${keys} SET (autovacuum_enabled = off)`, []);
  // One connection: its plan is made before there are keys, and it publishes its own statistics.
  const one = await fromPgUrl(url, { max: 1 });
  onTestFinished(() => one.close());
  const keyed = new SqlKeyedSource(one, { table });
  const requests = (count: number) => Array.from({ length: count }, (_, i) => ({ key: `k${i}`, size: 1 }));
  const read = async () => {
    await one.execute('SELECT pg_stat_force_next_flush()', []);
    const [row] = await session.query(
      `SELECT seq_tup_read + idx_tup_fetch AS count FROM pg_stat_user_tables WHERE relid = '${keys}'::regclass`,
    );
    return Number(row?.count);
  };
  for (let i = 0; i < 10; i++) await keyed.reserve('message', requests(3), now);
  await keyed.reserve('message', requests(2_000), now);
  const before = await read();
  expect((await keyed.reserve('message', requests(3), now)).keys).toHaveLength(3);
  const after = await read();
  expect(after).toBeGreaterThan(before);
  // A few for each of the three, and not the 2,000.
  expect(after - before).toBeLessThan(50);
});

describe.each([...SQL_CLIENTS, SQLITE])('a source of keys on $server', (kind) => {
  it('reserves nothing from a family of another realm or reign than its caller expects', async () => {
    const { source } = await openKeyDatabase(kind);
    const keyed = await source();
    const requests = [
      { key: 'old', size: 3 },
      { key: 'new', size: 3 },
    ];
    const { origin: found } = await keyed.reserve('message', requests.slice(0, 1), now);
    for (const within of [{ realm: 'another' }, { ...found, reigns: ['another'] }]) {
      const moved = keyed.reserve('message', requests, { ...now, within });
      await expect(moved).rejects.toMatchObject({ code: 'ERR_IDS_UNAVAILABLE', found });
    }
    const { keys } = await keyed.reserve('message', requests, { ...now, within: found });
    expect(keys).toMatchObject([{ high: 6 }, { high: 3, isNew: true }]);
  });

  it('starts each key with its first request, above its family by what the request says', async () => {
    const { source } = await openKeyDatabase(kind, { startAfter: 100 });
    const keyed = await source();
    const first = await keyed.reserve(
      'message',
      [
        { key: 'b', size: 3 },
        { key: 'a', size: 1, startAfter: 500 },
        { key: 'c', size: 1, startAfter: 5 },
      ],
      now,
    );
    expect(first.keys).toEqual([
      { high: 103, isNew: true },
      { high: 601, isNew: true },
      { high: 106, isNew: true },
    ]);
    const second = await keyed.reserve('message', [{ key: 'a', size: 2, startAfter: 900 }], now);
    expect(second.keys).toEqual([{ high: 603, isNew: false }]);
    expect(second.origin).toEqual(first.origin);
    expect(await keyed.highest('message', 'a')).toBe(603);
    expect(await keyed.highest('message', 'z')).toBeUndefined();
  });

  it('keeps apart keys that differ in any byte', async () => {
    const { source } = await openKeyDatabase(kind);
    const keyed = await source();
    const keys = [
      '',
      ' ',
      'a',
      'A',
      'a ',
      'a\0',
      '\0',
      '__proto__',
      '\u00e9',
      'e\u0301',
      '💬',
      'x'.repeat(255),
    ];
    const all = async () =>
      (
        await keyed.reserve(
          'message',
          keys.map((key) => ({ key, size: 1 })),
          now,
        )
      ).keys;
    expect(await all()).toEqual(keys.map(() => ({ high: 1, isNew: true })));
    expect(await all()).toEqual(keys.map(() => ({ high: 2, isNew: false })));
  });

  it('lets at most so many keys begin, and answers those that have begun', async () => {
    const { source } = await openKeyDatabase(kind);
    const keyed = await source();
    await keyed.reserve('message', [{ key: 'b', size: 1 }], now);
    const requests = ['a', 'b', 'c', 'd'].map((key) => ({ key, size: 1 }));
    const { keys } = await keyed.reserve('message', requests, { ...now, newKeys: 2 });
    expect(keys).toEqual([
      { high: 1, isNew: true },
      { high: 2, isNew: false },
      { high: 1, isNew: true },
      { missed: 'new' },
    ]);
    const none = await keyed.reserve('message', requests, { ...now, newKeys: 0 });
    expect(none.keys[3]).toEqual({ missed: 'new' });
    expect(await keyed.highest('message', 'd')).toBeUndefined();
  });

  it('refuses a key that is used up, and no other', async () => {
    const { source } = await openKeyDatabase(kind);
    const keyed = await source();
    await keyed.reserve('message', [{ key: 'full', size: 1, startAfter: LAST - 2 }], now);
    const requests = [
      { key: 'new and full', size: 2, startAfter: LAST - 1 },
      { key: 'full', size: 2 },
      { key: 'other', size: 2 },
    ];
    const { keys } = await keyed.reserve('message', requests, now);
    expect(keys).toEqual([{ missed: 'locked' }, { missed: 'locked' }, { high: 2, isNew: true }]);
    // What is wrong with a key is found when it is asked for alone.
    for (const request of requests.slice(0, 2)) {
      const { keys: alone } = await keyed.reserve('message', [request], { wait: true });
      expect(alone).toEqual([{ refused: expect.objectContaining({ code: 'ERR_IDS_EXHAUSTED' }) }]);
    }
    expect((await keyed.reserve('message', [{ key: 'full', size: 1 }], now)).keys).toEqual([
      { high: LAST, isNew: false },
    ]);
  });

  it('raises a key that is below a floor, and skips what it may have lost besides', async () => {
    const { source } = await openKeyDatabase(kind);
    const skips = { afterFailover: 5, afterRestore: 50 };
    const keyed = await source(skips);
    await keyed.reserve('message', [{ key: 'old', size: 10 }], now);
    const requests = [
      { key: 'old', size: 1, floor: 100 },
      { key: 'new', size: 1, floor: 100, startAfter: 120 },
    ];
    expect((await keyed.reserve('message', requests, now)).keys).toEqual([
      { high: 151, isNew: false },
      { high: 151, isNew: true },
    ]);
    expect((await keyed.reserve('message', [{ key: 'old', size: 1, floor: 90 }], now)).keys).toEqual([
      { high: 152, isNew: false },
    ]);
    const refusing = await source({ ...skips, afterRestore: 'refuse' });
    const refused = { refused: expect.objectContaining({ code: 'ERR_IDS_REGRESSED' }) };
    for (const key of ['old', 'newer']) {
      const request = { key, size: 1, floor: 1_000 };
      const { keys } = await refusing.reserve('message', [request], { wait: true });
      expect(keys, key).toEqual([refused]);
    }
    expect(await keyed.highest('message', 'old')).toBe(152);
    expect(await keyed.highest('message', 'newer')).toBeUndefined();
  });

  it('says which family is missing', async () => {
    const { source } = await openKeyDatabase(kind);
    const keyed = await source();
    const missing = { code: 'ERR_IDS_CONFIG', message: expect.stringContaining('"missing"') };
    await expect(keyed.describe('missing')).rejects.toMatchObject(missing);
    await expect(keyed.reserve('missing', [{ key: 'a', size: 1 }], now)).rejects.toMatchObject(missing);
  });

  it('keeps rows from being lowered, renamed and deleted', async () => {
    const { source, session, keys } = await openKeyDatabase(kind);
    const keyed = await source();
    await keyed.reserve('message', [{ key: 'a', size: 5 }], now);
    for (const change of [
      `UPDATE ${keys} SET max_id = 1`,
      `UPDATE ${keys} SET sequence_key = 'b'`,
      `UPDATE ${keys} SET family = 'other'`,
      `DELETE FROM ${keys}`,
    ]) {
      await expect(session.query(change), change).rejects.toThrow(/ids have been issued|_guard/);
    }
    await session.query(`UPDATE ${keys} SET max_id = 20`);
    expect((await keyed.reserve('message', [{ key: 'a', size: 5 }], now)).keys).toEqual([
      { high: 25, isNew: false },
    ]);
  });

  it('reserves the ids of a key once, for processes that ask for the same new keys at once', async () => {
    const { source } = await openKeyDatabase(kind);
    const sources = await Promise.all(Array.from({ length: 4 }, () => source()));
    const keys = Array.from({ length: 200 }, (_, i) => `group:${i}`);
    const highs = new Map<string, number[]>(keys.map((key) => [key, []]));
    const ask = async (keyed: SqlKeyedSource): Promise<void> => {
      let left = keys.map((key) => ({ key, size: 1 }));
      while (left.length > 0) {
        // What others were at work on comes again, alone.
        const wait = left.length === 1;
        const { keys: answers } = await keyed.reserve('message', wait ? left : left.slice(0, 50), { wait });
        const missed = left.filter((_, i) => answers[i] !== undefined && 'missed' in answers[i]);
        for (const [i, answer] of answers.entries()) {
          if ('high' in answer) highs.get(left[i]?.key ?? '')?.push(answer.high);
        }
        left = [...left.slice(answers.length), ...missed];
      }
    };
    await Promise.all(sources.map(ask));
    for (const [key, values] of highs) {
      expect(
        values.sort((a, b) => a - b),
        key,
      ).toEqual([1, 2, 3, 4]);
    }
  });

  // A file lasts or is refused as a whole.
  if (kind.dialect === 'sqlite') return;

  it('finds out at the start that the table of the keys is missing, or does not last', async () => {
    const { source, executor, session, table, keys } = await openKeyDatabase(kind);
    expect(await missingKeyedSchema(executor, { table })).toEqual([]);
    await session.query(IMPERMANENT[kind.dialect].alter.replace('%t', keys));
    const code = 'ERR_IDS_CONFIG';
    const fault = expect.stringContaining(IMPERMANENT[kind.dialect].fault);
    await expect((await source()).describe('message')).rejects.toMatchObject({ code, message: fault });
    await session.query(`DROP TABLE ${keys}`);
    expect(await missingKeyedSchema(executor, { table })).toEqual(['table']);
    const missing = expect.stringContaining('ensureKeyedSchema');
    await expect((await source()).describe('message')).rejects.toMatchObject({ code, message: missing });
    const reserved = (await source()).reserve('message', [{ key: 'a', size: 1 }], now);
    await expect(reserved).rejects.toMatchObject({ code, message: missing });
  });
});
