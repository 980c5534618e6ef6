import { ALL_DIALECTS } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deleteKey, keyedGrants } from '../../src/sql/index.js';
import { hold, openExecutor, openKeyDatabase, reserve } from './key-database.js';

const SKIP = 100;
const skips = { afterFailover: SKIP, afterRestore: SKIP };
const LAST = 2 ** 53 - 1;

describe.each(ALL_DIALECTS)('deleteKey on $server', (kind) => {
  it('deletes the row of a key, which begins above its ids if it is used again', async () => {
    const { executor, source, session, table, keys } = await openKeyDatabase(kind);
    const keyed = await source();
    await reserve(keyed, ['gone', 'other'], 10);
    expect(await deleteKey(executor, 'message', 'gone', { table })).toBe(true);
    const left = await session.query(
      `SELECT 1 FROM ${keys} WHERE family = 'message' AND sequence_key = 'gone'`,
    );
    expect(left).toEqual([]);
    expect(await keyed.highest('message', 'gone')).toBeUndefined();
    expect(await deleteKey(executor, 'message', 'gone', { table })).toBe(false);
    const [gone = 0, other, next = 0] = await reserve(keyed, ['gone', 'other', 'next'], 1);
    expect(gone).toBeGreaterThan(10);
    expect(other).toBe(11);
    // Keys that begin later start there, too.
    expect(next).toBe(gone);
    // The second time in the life of the key.
    expect(await deleteKey(executor, 'message', 'gone', { table })).toBe(true);
    expect((await reserve(keyed, ['gone'], 1))[0]).toBeGreaterThan(gone);
  });

  it('lets it begin again where new keys start, if that was asked for', async () => {
    const { executor, source, table } = await openKeyDatabase(kind, { startAfter: 5 });
    const keyed = await source();
    await reserve(keyed, ['gone'], 10);
    expect(await deleteKey(executor, 'message', 'gone', { table, mayRepeat: true })).toBe(true);
    expect(await reserve(keyed, ['gone', 'next'], 1)).toEqual([6, 6]);
  });

  it('says which family is missing, and that a key has no ids', async () => {
    const { executor, table } = await openKeyDatabase(kind);
    expect(await deleteKey(executor, 'message', 'never', { table })).toBe(false);
    await expect(deleteKey(executor, 'missing', 'a', { table })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('"missing"'),
    });
    await expect(deleteKey(executor, 'message', '\ud800', { table })).rejects.toThrow(TypeError);
  });

  it('does not raise new keys to the last id for one that is used up', async () => {
    const { executor, source, table } = await openKeyDatabase(kind);
    const keyed = await source();
    await keyed.reserve('message', [{ key: 'full', size: 1, startAfter: LAST - 1 }], { wait: false });
    await expect(deleteKey(executor, 'message', 'full', { table })).rejects.toMatchObject({
      code: 'ERR_IDS_EXHAUSTED',
    });
    expect(await keyed.highest('message', 'full')).toBe(LAST);
    expect(await deleteKey(executor, 'message', 'full', { table, mayRepeat: true })).toBe(true);
    expect(await reserve(keyed, ['full'], 1)).toEqual([1]);
  });

  it('repeats no id in generators that go on with the key meanwhile', async () => {
    const { executor, open, table } = await openKeyDatabase(kind);
    const generators = [await open(), await open()];
    let deleted = 0;
    let over = false;
    const issue = async (next: () => Promise<number>): Promise<number[]> => {
      const ids: number[] = [];
      while (!over) ids.push(await next());
      return ids;
    };
    // Both ask for two keys, in opposite orders, and the same one several times.
    const issuing = generators.flatMap((generator, i) => [
      issue(() => generator.next(i === 0 ? 'a' : 'b')),
      issue(() => generator.next(i === 0 ? 'b' : 'a')),
    ]);
    const deleting = async (): Promise<void> => {
      while (deleted < 20 && !over) {
        if (await deleteKey(executor, 'message', 'a', { table })) deleted += 1;
      }
      over = true;
    };
    const ended = () => {
      over = true;
    };
    for (const one of issuing) one.catch(ended);
    await deleting().finally(ended);
    const [a1 = [], b1 = [], b2 = [], a2 = []] = await Promise.all(issuing);
    for (const ids of [
      [...a1, ...a2],
      [...b1, ...b2],
    ]) {
      expect(new Set(ids).size).toBe(ids.length);
    }
    for (const ids of [a1, a2]) expect(ids).toEqual(ids.toSorted((x, y) => x - y));
    for (const generator of generators) {
      expect(generator.counters().regressions).toBe(0);
      await generator.close();
    }
  });

  faultTest('leaves room for ids that a restore has lost', async () => {
    const { url, executor, source, table, keys } = await openKeyDatabase(kind);
    const keyed = await source(skips);
    await reserve(keyed, ['gone']);
    const dump = await kind.dumpTable(url, keys);
    expect(await reserve(keyed, ['gone'])).toEqual([20]);
    await injectFault(() => dump.restoreTo(url));
    const refusing = { table, afterRestore: 'refuse', afterFailover: 'refuse' } as const;
    await expect(deleteKey(executor, 'message', 'gone', refusing)).rejects.toMatchObject({
      code: 'ERR_IDS_REGRESSED',
    });
    expect(await deleteKey(executor, 'message', 'gone', { table, ...skips })).toBe(true);
    expect((await reserve(keyed, ['gone'], 1))[0]).toBeGreaterThan(10 + SKIP);
  });

  // A file has no accounts, and no locks on rows.
  if (kind.dialect === 'sqlite') return;

  it('needs rights that a service has only if it asks for them', async () => {
    const { executor, url, source, table } = await openKeyDatabase(kind);
    await reserve(await source(), ['gone']);
    const account = await kind.createAccount(url);
    onTestFinished(() => account.close());
    const service = await openExecutor(account.url);
    onTestFinished(() => service.close());
    const grant = async (deleteKeys: boolean) => {
      const sql = keyedGrants(account.name, { table, deleteKeys, dialect: kind.dialect });
      for (const statement of sql.split(';\n').filter(Boolean)) await account.run(statement);
    };
    await grant(false);
    await expect(deleteKey(service, 'message', 'gone', { table })).rejects.toThrow(/denied/);
    await grant(true);
    expect(await deleteKey(service, 'message', 'gone', { table })).toBe(true);
    expect(await deleteKey(executor, 'message', 'gone', { table })).toBe(false);
  });

  faultTest('is no new key for a statement that was under way before', async () => {
    const { executor, source, session, table, keys } = await openKeyDatabase(kind);
    const keyed = await source();
    await reserve(keyed, ['a', 'b'], 10);
    const release = await injectFault(() =>
      hold(session, `SELECT 1 FROM ${keys} WHERE family = 'message' AND sequence_key = 'a' FOR UPDATE`),
    );
    const requests = ['a', 'b'].map((key) => ({ key, size: 1 }));
    let answered = false;
    const waiting = keyed.reserve('message', requests, { wait: true }).then((answer) => {
      answered = true;
      return answer.keys;
    });
    await expect.poll(() => answered || session.waiting(table), { timeout: 10_000 }).toBeTruthy();
    expect(answered, 'an answer although a key is locked').toBe(false);
    expect(await deleteKey(executor, 'message', 'b', { table })).toBe(true);
    await release?.();
    const [a, b] = await waiting;
    expect(a).toEqual({ high: 11, isNew: false });
    // It may say that it got none, and must not get one of those before.
    if (b !== undefined && 'high' in b) expect(b.high).toBeGreaterThan(10);
    expect((await reserve(keyed, ['b'], 1))[0]).toBeGreaterThan(10);
  });
});
