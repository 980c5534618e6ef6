import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { startProcesses } from '@ids/conformance';
import { connectToFile, isFileLocked, pathOfFile, SQLITE } from '@ids/local-services/dialects';
import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import { openDatabase } from '@ids/store/open';
import type { SqliteExecutor } from '@ids/store/sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSnowflakeGenerator, layoutOf, parseSnowflake, type SnowflakeEvent } from '../../src/index.js';
import { createSlots, ensureSlotSchema, slotTable } from '../../src/sql/index.js';
import {
  BURST,
  causes,
  expectNoneTwice,
  type Process,
  start,
  startAfterFault,
  waits,
} from '../support/process.js';
import { createContext } from '../support/subject.js';

const module = new URL('../support/subject.ts', import.meta.url);
const LAYOUT = layoutOf('41+10+12');

/** Puts a copy in the place of a file; later, that of now or an older one. */
function copyOf(url: string): { putBack(): void } {
  const path = pathOfFile(url);
  copyFileSync(path, `${path}.copy`);
  return { putBack: () => renameSync(`${path}.copy`, path) };
}

async function openExecutor(url: string): Promise<SqliteExecutor> {
  const executor = (await openDatabase(url)) as SqliteExecutor;
  onTestFinished(() => executor.close());
  return executor;
}

/** Takes ids until there is no more time to take them from. */
async function useUp({ generator, take }: Process): Promise<void> {
  for (let call = 0; call < 30 && generator.health().status !== 'down'; call++) {
    await take(20_000).catch(() => undefined);
  }
}

describe('a file of slots', () => {
  faultTest('that an older copy has replaced repeats nothing of newcomers and survivors', async () => {
    const slots = await createContext(await SQLITE.shared(), 'id_slot', { layout: '41+6+6', slots: 4 });
    const copy = copyOf(slots.database);
    const survivor = await start({ ...slots, startup: 'at-once' });
    await survivor.take(BURST);
    await injectFault(() => copy.putBack());
    const newcomers = await Promise.all([start({ ...slots, startup: 'at-once' }), start(slots)]);
    await Promise.all([survivor, ...newcomers].map((one) => one.take(BURST)));
    expect(newcomers.map(causes)).toEqual([['restore'], ['restore']]);
    expect(newcomers.map(waits)).toEqual([[3_000], [3_000]]);
    expectNoneTwice(survivor, ...newcomers);
  });

  faultTest(
    'that is replaced just before a claim is noticed, though the row names the former one',
    async () => {
      const { database } = await createContext(await SQLITE.shared(), 'id_slot', { slots: 2 });
      const executor = await openExecutor(database);
      const copy = copyOf(database);
      let replace = async (): Promise<unknown> => injectFault(() => copy.putBack());
      const late: SqliteExecutor = {
        ...executor,
        home: async (signal) => {
          const home = await executor.home(signal);
          await replace();
          replace = async () => undefined;
          return home;
        },
      };
      const options = { name: 'order', table: 'id_slot', layout: LAYOUT };
      const claim = await slotTable(late, options).claim(crypto.randomUUID());
      expect(claim).toMatchObject({ slot: 0, newReign: 'restore' });
      // Its row shows it to the next one.
      const { warnings } = await slotTable(executor, options).describe();
      expect(warnings).toContainEqual(expect.stringContaining('the next claim waits'));
    },
  );

  faultTest('that is replaced while slots are added shows that to the first claim', async () => {
    const database = await SQLITE.shared();
    const executor = await openExecutor(database);
    await ensureSlotSchema(executor);
    const late: SqliteExecutor = {
      ...executor,
      execute: async (text, ...given) => {
        const result = await executor.execute(text, ...given);
        // The slots are there, and do not name the file yet.
        if (text.includes('INSERT INTO')) await injectFault(() => copyOf(database).putBack());
        return result;
      },
    };
    await createSlots(late, 'order', { slots: 1 });
    const slots = slotTable(executor, { name: 'order', table: 'id_slot', layout: LAYOUT });
    expect(await slots.claim(crypto.randomUUID())).toMatchObject({ slot: 0, newReign: 'restore' });
  });

  faultTest('that was deleted grants nothing to those who have it open', async () => {
    const slots = await createContext(await SQLITE.shared(), 'id_slot', { layout: '41+6+6', slots: 2 });
    const process = await start({ ...slots, startup: 'at-once', deadlineMs: 500 });
    await process.take(10);
    await injectFault(() => rmSync(pathOfFile(slots.database)));
    await useUp(process);
    expect(process.generator.health()).toMatchObject({
      status: 'down',
      lastError: { code: 'ERR_IDS_UNAVAILABLE' },
    });
    expectNoneTwice(process);
  });

  faultTest('that another process has locked costs the slot, and is used again', async () => {
    const slots = await createContext(await SQLITE.shared(), 'id_slot', { layout: '41+6+6', slots: 2 });
    const holder = connectToFile(slots.database);
    const process = await start({ ...slots, startup: 'at-once', deadlineMs: 500 });
    await process.take(10);
    await injectFault(() => holder.exec('BEGIN IMMEDIATE'));
    await useUp(process);
    expect(process.generator.health()).toMatchObject({
      status: 'down',
      lastError: { code: 'ERR_IDS_TIMEOUT' },
    });
    await injectFault(() => holder.exec('COMMIT'));
    const before = process.ids.length;
    while (process.ids.length === before) await process.take(1).catch(() => undefined);
    expectNoneTwice(process);
  });

  faultTest('that another process has locked is waited for at the start, until the deadline', async () => {
    const slots = await createContext(await SQLITE.shared(), 'id_slot', { layout: '41+6+6', slots: 2 });
    const holder = connectToFile(slots.database);
    await injectFault(() => holder.exec('BEGIN IMMEDIATE'));
    await expect(start({ ...slots, deadlineMs: 500 })).rejects.toMatchObject({ code: 'ERR_IDS_TIMEOUT' });
    const failures: SnowflakeEvent[] = [];
    const onEvent = (event: SnowflakeEvent): void => {
      if (event.type !== 'window-failed') return;
      failures.push(event);
      if (failures.length === 1) holder.exec('COMMIT');
    };
    const process = await startAfterFault({ ...slots, startup: 'at-once', onEvent });
    expect(failures).toMatchObject([{ error: { code: 'ERR_IDS_TIMEOUT' } }]);
    await process.take(10);
  });
});

describe('several processes on one file of slots', () => {
  it('have a slot each, and repeat nothing', async () => {
    const slots = await createContext(await SQLITE.shared(), 'id_slot', { slots: 3 });
    await using run = await startProcesses({
      module,
      context: { ...slots, startup: 'at-once', deadlineMs: 15_000 },
      processes: 3,
      callers: 2,
      pauseMs: 1,
    });
    await run.issued(3_000);
    const { records } = await run.stop();
    const ids = records.flatMap((record) => record.ids.map(BigInt));
    expect(new Set(ids.map((id) => parseSnowflake(id, LAYOUT).slot))).toEqual(new Set([0, 1, 2]));
    expect(new Set(ids).size).toBe(ids.length);
  });

  faultTest('repeat nothing of one that was killed in the middle of a grant', async () => {
    const slots = await createContext(await SQLITE.shared(), 'id_slot', { slots: 1 });
    const connection = connectToFile(slots.database);
    const grantedUntil = () => connection.prepare('SELECT until_ms FROM id_slot').all()[0]?.until_ms;
    const options = { ...slots, startup: 'at-once', deadlineMs: 15_000 } as const;
    await using run = await startProcesses({
      module,
      context: options,
      processes: 1,
      callers: 1,
      pauseMs: 1,
      tolerateErrors: true,
    });
    await run.issued(50);
    // From now on the file is written by grants that take long.
    await injectFault(() =>
      connection.exec(`CREATE TRIGGER slow AFTER UPDATE OF until_ms ON id_slot BEGIN
        SELECT (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000000) SELECT max(i) FROM n);
      END`),
    );
    const before = grantedUntil();
    await felt('a grant that holds the file', () => isFileLocked(slots.database), run.issued(8_000));
    const killed = await injectFault(() => {
      run.kill(1, 'SIGKILL');
      return true;
    });
    expect(killed).toBe(true);
    const { records } = await run.history;
    expect(grantedUntil()).toBe(before);
    await injectFault(() => connection.exec('DROP TRIGGER slow'));
    await using successor = await createSnowflakeGenerator(options);
    const ids = records.flatMap((record) => record.ids.map(BigInt));
    ids.push(...(await successor.nextBatch(20_000)));
    expect(ids.length).toBeGreaterThan(20_049);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
