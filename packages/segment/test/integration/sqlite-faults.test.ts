import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { connectToFile } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createSequence,
  fromSqlite,
  fromSqliteUrl,
  openSqlSource,
  SqlSegmentSource,
} from '../../src/sql/index.js';
import { openFile } from '../sqlite-file.js';

const SKIP = 10_000_000;

interface Child {
  readonly process: ChildProcess;
  readonly ids: number[];
  /** Resolves with how it ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly errors: string }>;
  until(count: number): Promise<void>;
}

/** A process that reserves from the file until it is killed, or has `count` ids. */
function startChild(path: string, count?: number): Child {
  const script = fileURLToPath(new URL('sqlite-child.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, path, ...(count === undefined ? [] : [String(count)])]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const ids: number[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  createInterface(child.stdout).on('line', (line) => {
    ids.push(Number(line));
    for (const { count, resolve } of waiting) if (ids.length >= count) resolve();
  });
  let errors = '';
  child.stderr.on('data', (text) => {
    errors += text;
  });
  const ended = new Promise<{ code: number | null; errors: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, errors })),
  );
  const until = (count: number) => {
    const reached = new Promise<void>((resolve) => {
      if (ids.length >= count) resolve();
      else waiting.push({ count, resolve });
    });
    return Promise.race([
      reached,
      ended.then(({ code, errors }) => {
        if (ids.length < count) throw new Error(`the child ended with ${code}: ${errors}`);
      }),
    ]);
  };
  return { process: child, ids, ended, until };
}

async function openSequence() {
  const file = await openFile();
  await createSequence(file.executor, 'order');
  return { ...file, source: new SqlSegmentSource(file.executor) };
}

/** Locks the file for writing, on a connection of its own. */
function lock(path: string): () => void {
  const holder = connectToFile(path);
  holder.exec('BEGIN IMMEDIATE');
  return () => void holder.exec('COMMIT');
}

describe('several processes on one file of SQLite', () => {
  it('get ids of their own, every one of them', async () => {
    const { path } = await openSequence();
    const children = [startChild(path, 150), startChild(path, 150), startChild(path, 150)];
    expect(await Promise.all(children.map(({ ended }) => ended))).toEqual(
      children.map(() => ({ code: 0, errors: '' })),
    );
    const ids = children.flatMap(({ ids }) => ids);
    expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 450 }, (_, i) => i + 1));
  });

  faultTest('never get an id again of one that was killed', async () => {
    const { path, source } = await openSequence();
    const seen: number[] = [];
    let killed = 0;
    for (let round = 0; round < 8; round++) {
      const child = startChild(path, round * 3 + 4);
      await child.until(round + 2);
      await injectFault(() => child.process.kill('SIGKILL'));
      const { code } = await child.ended;
      if (code === null) killed += 1;
      seen.push(...child.ids);
    }
    expect(killed).toBeGreaterThan(0);
    seen.push((await source.reserve('order', 1)).low);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });
});

it('leaves the event loop its turns, however many segments a caller reserves', async () => {
  const { source } = await openSequence();
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  for (let made = 0; turns < 5 && made < 2_000; made++) await source.reserve('order', 1);
  clearInterval(timer);
  expect(turns).toBeGreaterThanOrEqual(5);
});

describe('a file of SQLite that another connection has locked', () => {
  faultTest('is waited for while the event loop goes on', async () => {
    const { path, source, database } = await openSequence();
    database.exec('PRAGMA busy_timeout = 6000');
    const unlock = await injectFault(() => lock(path));
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 10);
    const reserved = source.reserve('order', 1);
    const first = await Promise.race([
      reserved,
      new Promise<'waits'>((resolve) => setTimeout(resolve, 2_000, 'waits')),
    ]);
    clearInterval(timer);
    expect(first).toBe('waits');
    expect(turns).toBeGreaterThan(10);
    expect(database.prepare('PRAGMA busy_timeout').get()).toMatchObject({ timeout: 6_000 });
    await injectFault(() => unlock?.());
    expect((await reserved).low).toBe(1);
  });

  faultTest('is given up on in time, and nothing is reserved', async () => {
    const { path, source } = await openSequence();
    const unlock = await injectFault(() => lock(path));
    await expect(source.reserve('order', 1, { timeoutMs: 200 })).rejects.toMatchObject({
      code: 'ERR_IDS_TIMEOUT',
    });
    const reason = new Error('given up');
    const signal = AbortSignal.abort(reason);
    await expect(source.reserve('order', 1, { signal })).rejects.toBe(reason);
    await injectFault(() => unlock?.());
    expect((await source.reserve('order', 1)).low).toBe(1);
  });

  faultTest('is not locked from then on by a reader that met the lock', async () => {
    const { path, executor } = await openSequence();
    const read = (signal?: AbortSignal) => executor.execute('SELECT name FROM sqlite_master', [], signal);
    const holder = connectToFile(path);
    await injectFault(() => holder.exec('BEGIN EXCLUSIVE'));
    await expect(read(AbortSignal.timeout(50))).rejects.toMatchObject({ name: 'TimeoutError' });
    await injectFault(() => holder.exec('COMMIT'));
    // A statement that was left unfinished would keep the lock of the next one.
    await read();
    expect(() => holder.exec('BEGIN EXCLUSIVE; COMMIT')).not.toThrow();
  });
});

describe('a file of SQLite', () => {
  faultTest('that an older copy has replaced is noticed, and ids are skipped', async () => {
    const { path, source } = await openSequence();
    await source.reserve('order', 10);
    copyFileSync(path, `${path}.backup`);
    await source.reserve('order', 50);
    await injectFault(() => renameSync(`${path}.backup`, path));
    const gone = { code: 'ERR_IDS_UNAVAILABLE', message: expect.stringContaining('deleted or replaced') };
    await expect(source.reserve('order', 1)).rejects.toMatchObject(gone);
    const executor = fromSqliteUrl(`sqlite:${path}`);
    onTestFinished(() => executor.close());
    const newcomer = new SqlSegmentSource(executor);
    expect(await newcomer.describe('order')).toMatchObject({ pending: 'restore', maxId: 10 });
    expect(await newcomer.reserve('order', 5)).toMatchObject({
      low: 11 + SKIP,
      newReign: { cause: 'restore', skipped: SKIP },
    });
    expect(await newcomer.reserve('order', 5)).not.toHaveProperty('newReign');
  });

  faultTest('that was deleted gives no more ids, to nobody who has it open', async () => {
    const { path, source } = await openSequence();
    const byUrl = await openSqlSource({ database: `sqlite:${path}` });
    onTestFinished(() => byUrl.close());
    await byUrl.reserve('order', 1);
    await injectFault(() => rmSync(path));
    const gone = { code: 'ERR_IDS_UNAVAILABLE', message: expect.stringContaining('deleted or replaced') };
    await expect(source.reserve('order', 1)).rejects.toMatchObject(gone);
    await expect(byUrl.reserve('order', 1)).rejects.toMatchObject(gone);
  });

  faultTest('that was replaced before the connection was used for ids is refused', async () => {
    const { path } = await openSequence();
    const stale = connectToFile(path);
    stale.prepare('SELECT count(*) AS n FROM id_segment').get();
    copyFileSync(path, `${path}.backup`);
    await injectFault(() => renameSync(`${path}.backup`, path));
    await expect(new SqlSegmentSource(fromSqlite(stale)).reserve('order', 1)).rejects.toMatchObject({
      code: 'ERR_IDS_UNAVAILABLE',
    });
  });

  it.each(['VACUUM', 'PRAGMA journal_mode = WAL', 'PRAGMA wal_checkpoint(TRUNCATE)'])(
    'is the same after %s',
    async (sql) => {
      const { source, database } = await openSequence();
      await source.reserve('order', 5);
      database.exec(sql);
      const segment = await source.reserve('order', 5);
      expect(segment.low).toBe(6);
      expect(segment).not.toHaveProperty('newReign');
    },
  );

  it('is the same after a move', async () => {
    const { path, source } = await openSequence();
    await source.reserve('order', 5);
    renameSync(path, `${path}.moved`);
    const moved = await openSqlSource({ database: `sqlite:${path}.moved` });
    onTestFinished(() => moved.close());
    const segment = await moved.reserve('order', 5);
    expect(segment.low).toBe(6);
    expect(segment).not.toHaveProperty('newReign');
  });

  faultTest('that is full gives no id, and goes on when there is room', async () => {
    const { source, database } = await openSequence();
    database.exec('CREATE TABLE filler (text)');
    database.exec(
      'CREATE TRIGGER fill AFTER UPDATE ON id_segment BEGIN INSERT INTO filler VALUES (zeroblob(20000)); END',
    );
    const pages = Number(Object.values(database.prepare('PRAGMA page_count').get() as object)[0]);
    await injectFault(() => database.exec(`PRAGMA max_page_count = ${pages}`));
    await expect(source.reserve('order', 1)).rejects.toMatchObject({
      code: 'ERR_IDS_UNAVAILABLE',
      message: expect.stringContaining('full'),
    });
    await injectFault(() => database.exec('PRAGMA max_page_count = 100000'));
    expect((await source.reserve('order', 1)).low).toBe(1);
  });
});
