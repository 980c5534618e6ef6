import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openFolder, SQLITE_DRIVERS } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSequence, ensureSchema, fromSqlite, SqlSegmentSource } from '../../src/sql/index.js';

const run = (command: string, ...args: readonly string[]): number | null =>
  spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status;

function mount(...args: readonly string[]): void {
  expect(run('mount', ...args)).toBe(0);
}

function unmount(folder: string): void {
  expect(run('umount', '--lazy', folder)).toBe(0);
}

/** Root in a container may not mount either. */
const mayMount =
  process.platform === 'linux' && process.getuid?.() === 0 && run('unshare', '--mount', 'true') === 0;

/** A file system of a few megabytes, which ends with the test. */
function smallDisk(): string {
  const folder = openFolder();
  mount('-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', folder);
  onTestFinished(() => unmount(folder));
  return folder;
}

/** Leaves no room. */
function fill(folder: string): void {
  const path = join(folder, 'filler');
  for (let size = 2 ** 20; size >= 512; size /= 2) {
    for (let part = 0; ; part++) {
      try {
        writeFileSync(`${path}-${size}-${part}`, Buffer.alloc(size));
      } catch {
        rmSync(`${path}-${size}-${part}`, { force: true });
        break;
      }
    }
  }
}

const MODES = ['DELETE', 'WAL'].flatMap((mode) => SQLITE_DRIVERS.map((driver) => ({ ...driver, mode })));

describe.runIf(mayMount).each(MODES)('a file of SQLite in mode $mode, by $driver', ({ mode, open }) => {
  async function openSequence(folder: string) {
    const database = open(join(folder, 'ids.db'));
    onTestFinished(() => void database.close());
    database.exec(`PRAGMA journal_mode = ${mode}; PRAGMA synchronous = EXTRA`);
    const executor = fromSqlite(database);
    await ensureSchema(executor);
    await createSequence(executor, 'order');
    return new SqlSegmentSource(executor);
  }

  faultTest('gives no id on a full disk, and repeats none when there is room again', async () => {
    const folder = smallDisk();
    const source = await openSequence(folder);
    const ids = [(await source.reserve('order', 1)).low];
    await injectFault(() => fill(folder));
    // In mode WAL, what is left of the log may still hold a few.
    const failed = (async () => {
      for (let more = 0; more < 500; more++) ids.push((await source.reserve('order', 1)).low);
    })();
    await expect(failed).rejects.toMatchObject({ code: 'ERR_IDS_UNAVAILABLE' });
    await injectFault(() => run('sh', '-c', `rm ${folder}/filler-*`));
    for (let more = 0; more < 3; more++) ids.push((await source.reserve('order', 1)).low);
    expect(ids).toEqual(ids.map((_, i) => i + 1));
  });

  it('gives no id where the disk is read-only', async () => {
    const folder = smallDisk();
    const source = await openSequence(folder);
    expect((await source.reserve('order', 1)).low).toBe(1);
    const readOnly = openFolder();
    mount('--bind', folder, readOnly);
    onTestFinished(() => unmount(readOnly));
    mount('-o', 'remount,bind,ro', readOnly);
    const database = open(join(readOnly, 'ids.db'));
    onTestFinished(() => void database.close());
    database.exec('PRAGMA synchronous = EXTRA');
    await expect(new SqlSegmentSource(fromSqlite(database)).reserve('order', 1)).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('read-only'),
    });
    expect((await source.reserve('order', 1)).low).toBe(2);
  });

  it('is not used where it is mounted without its folder', async () => {
    const [file, alone] = [join(openFolder(), 'ids.db'), join(openFolder(), 'a file.db')];
    for (const path of [file, alone]) writeFileSync(path, '');
    mount('--bind', file, alone);
    onTestFinished(() => unmount(alone));
    const database = open(alone);
    onTestFinished(() => void database.close());
    database.exec(`PRAGMA journal_mode = ${mode}; PRAGMA synchronous = EXTRA`);
    await expect(ensureSchema(fromSqlite(database))).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('mount the folder'),
    });
  });
});
