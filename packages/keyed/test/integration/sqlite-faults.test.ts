import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, renameSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { connectToFile } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { fromSqlite, fromSqliteUrl, type SqliteExecutor } from '@ids/segment/sql';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { KeyedSource } from '../../src/index.js';
import {
  deleteKey,
  describeKey,
  openKeyedSource,
  raiseKey,
  SqlKeyedSource,
  type SqlKeyedSourceOptions,
} from '../../src/sql/index.js';
import { openKeyFile } from '../sqlite-file.js';
import { reserve } from './key-database.js';

const SKIP = 100;
const skips = { afterRestore: SKIP };

/** Opened by a URL, so that it goes on in a file that was put in the place of another. */
async function openByUrl(url: string, options: SqlKeyedSourceOptions = skips): Promise<KeyedSource> {
  const source = await openKeyedSource({ database: url, ...options });
  onTestFinished(() => source.close());
  return source;
}

/** Replaces the file by a copy that was made before `reserve` ran. */
async function replaceByOlder(path: string, reserve: () => Promise<unknown>): Promise<void> {
  copyFileSync(path, `${path}.backup`);
  await reserve();
  await injectFault(() => renameSync(`${path}.backup`, path));
}

describe('keys in a file of SQLite that an older copy has replaced', () => {
  faultTest('repeat no id if it is replaced between the look at the file and the statement', async () => {
    const { path, url, database } = await openKeyFile();
    database.close();
    const executor = fromSqliteUrl(url);
    onTestFinished(() => executor.close());
    let replace = async () => {};
    const replaced: SqliteExecutor = {
      ...executor,
      home: async (signal) => {
        const home = await executor.home(signal);
        await replace();
        return home;
      },
    };
    const keyed = new SqlKeyedSource(replaced, skips);
    await reserve(keyed, ['known']);
    copyFileSync(path, `${path}.backup`);
    expect(await reserve(keyed, ['known'])).toEqual([20]);
    replace = async () => {
      replace = async () => {};
      await injectFault(() => renameSync(`${path}.backup`, path));
    };
    const gone = { code: 'ERR_IDS_UNAVAILABLE', message: expect.stringContaining('deleted or replaced') };
    await expect(reserve(keyed, ['known'])).rejects.toMatchObject(gone);
    expect(await reserve(keyed, ['known'])).toEqual([20 + SKIP]);
  });

  faultTest('are shown, raised and deleted as those that may have lost ids', async () => {
    const { path, url, database } = await openKeyFile();
    database.close();
    const keyed = await openByUrl(url);
    await reserve(keyed, ['known', 'gone']);
    await replaceByOlder(path, () => reserve(keyed, ['known', 'gone', 'lost']));
    const executor = fromSqlite(connectToFile(path));
    expect(await describeKey(executor, 'message', 'known', skips)).toMatchObject({
      maxId: 10,
      nextAbove: 10 + SKIP,
      pending: 'restore',
      family: { maxId: 0, pending: 'restore' },
    });
    // A new row may be that of a lost key.
    expect(await raiseKey(executor, 'message', 'lost', 3)).toBe(3);
    expect(await raiseKey(executor, 'message', 'checked', 50, { checked: true })).toBe(50);
    expect(await raiseKey(executor, 'message', 'known', 60, { checked: true })).toBe(60);
    const refusing = { afterRestore: 'refuse' } as const;
    await expect(deleteKey(executor, 'message', 'gone', refusing)).rejects.toMatchObject({
      code: 'ERR_IDS_REGRESSED',
    });
    expect(await deleteKey(executor, 'message', 'gone', skips)).toBe(true);
    expect(await reserve(keyed, ['lost', 'checked', 'known'], 1)).toEqual([4 + SKIP, 51, 61]);
    expect((await reserve(keyed, ['gone'], 1))[0]).toBeGreaterThan(10 + SKIP);
  });
});

describe('rows of keys that come from a dump', () => {
  faultTest('repeat no id, although their family and the file are the same', async () => {
    const { database, source } = await openKeyFile({ log: true });
    const keyed = source({ ...skips, log: true });
    await reserve(keyed, ['known']);
    const columns =
      'family, sequence_key, max_id, reign_server, born_in, noticed, grants, granted, owner, deletion';
    database.exec(`CREATE TABLE dump AS SELECT ${columns} FROM id_segment_key`);
    expect(await reserve(keyed, ['known'])).toEqual([20]);
    await injectFault(() => {
      database.exec("UPDATE id_segment_key SET deletion = 'repeat'");
      database.exec(`INSERT INTO id_segment_key (${columns}) SELECT ${columns} FROM dump`);
    });
    const requests = [{ key: 'known', size: 10 }];
    const { keys } = await keyed.reserve('message', requests, { wait: true });
    expect(keys).toEqual([{ high: 20 + SKIP, isNew: false, newReign: 'restore' }]);
    expect(await reserve(keyed, ['known'])).toEqual([30 + SKIP]);
    // Only what was reserved is logged, not the rows of the dump.
    const logged = database.prepare('SELECT high FROM id_segment_key_log ORDER BY high').all();
    expect(logged).toMatchObject([10, 20, 20 + SKIP, 30 + SKIP].map((high) => ({ high })));
  });
});

interface Child {
  /** What it printed: a key and an id of it, one after the other. */
  readonly printed: string[];
  /** Resolves with how it ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly errors: string }>;
}

/** A process that reserves from the file `count` times; `onLine` is told how many lines it has printed. */
function startChild(
  path: string,
  count: number,
  onLine: (lines: number, child: ChildProcess) => unknown = () => {},
): Child {
  const script = fileURLToPath(new URL('sqlite-child.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, path, String(count)]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed: string[] = [];
  createInterface(child.stdout).on('line', (line) => onLine(printed.push(line), child));
  let errors = '';
  child.stderr.on('data', (text) => {
    errors += text;
  });
  const ended = new Promise<{ code: number | null; errors: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, errors })),
  );
  return { printed, ended };
}

describe('several processes with keys in one file of SQLite', () => {
  it('get ids of their own, every one of them', async () => {
    const { path } = await openKeyFile();
    const children = Array.from({ length: 3 }, () => startChild(path, 80));
    expect(await Promise.all(children.map(({ ended }) => ended))).toEqual(
      children.map(() => ({ code: 0, errors: '' })),
    );
    const all = children.flatMap(({ printed }) => printed);
    const fresh = Array.from({ length: 80 }, (_, i) => `new ${i}`);
    const expected = [
      ...['a', 'b'].flatMap((key) => Array.from({ length: 240 }, (_, i) => `${key}:${i + 1}`)),
      ...fresh.flatMap((key) => [1, 2, 3].map((id) => `${key}:${id}`)),
    ];
    expect(all.toSorted()).toEqual(expected.toSorted());
  });

  faultTest('never get an id again of one that was killed', async () => {
    const { path, source } = await openKeyFile();
    const seen: string[] = [];
    let killed = 0;
    for (let round = 0; round < 6; round++) {
      const child = startChild(path, 200, (lines, process) => {
        if (lines === 3 + round) void injectFault(() => process.kill('SIGKILL'));
      });
      const { code, errors } = await child.ended;
      expect(errors).toBe('');
      if (code === null) killed += 1;
      seen.push(...child.printed);
    }
    expect(killed).toBe(6);
    const last = await reserve(source(), ['a', 'b', 'new 0'], 1);
    seen.push(`a:${last[0]}`, `b:${last[1]}`, `new 0:${last[2]}`);
    expect(new Set(seen).size).toBe(seen.length);
  });
});

describe('keys in a file of SQLite that another connection has locked', () => {
  faultTest('are given up on in time, and nothing is reserved', async () => {
    const { path, source } = await openKeyFile();
    const keyed = source();
    await reserve(keyed, ['a'], 1);
    const holder = connectToFile(path);
    await injectFault(() => holder.exec('BEGIN IMMEDIATE'));
    const requests = ['a', 'new'].map((key) => ({ key, size: 1 }));
    for (const wait of [false, true]) {
      await expect(keyed.reserve('message', requests, { wait, timeoutMs: 200 })).rejects.toMatchObject({
        code: 'ERR_IDS_TIMEOUT',
        message: expect.stringContaining('locked for too long'),
      });
    }
    holder.exec('COMMIT');
    expect(await reserve(keyed, ['a', 'new'], 1)).toEqual([2, 1]);
  });
});
