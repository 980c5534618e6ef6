import { EventEmitter, once } from 'node:events';
import type { IdGenerator } from '@ids/core';
import { uniqueName } from '@ids/local-services';
import { type Rows, SQL_DIALECTS, type SqlDialect, type SqlSession } from '@ids/local-services/dialects';
import type {} from '@ids/local-services/vitest-setup';
import { fromMysqlUrl } from '@ids/segment/sql';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { createSegmentRedisDbGenerator } from '@ids/segment-redis-db';
import { expect, inject, it, onTestFinished } from 'vitest';
import { continueAbove } from '../../../src/migrations/bigserial.js';
import { statementsOf } from '../../support/migration-guide.js';

/** The numbers in the guide: above the first and up to the second are new ids, above the second old ones. */
const [NEW_START, NEW_END] = [1_000_000, 1_000_000_000_000];
const ROWS = 200;

it('old and new processes insert side by side, from both sides of a bound, and no id is refused', async () => {
  const { url, session, executor } = await oldTable();
  await using old = startOldWriters(session);
  await old.inserted(ROWS);

  await continueAbove(executor, NEW_START);
  // A transaction that has inserted holds the statement up, which then gives up and is repeated.
  const release = await session.hold("INSERT INTO orders (item) VALUES ('in time')");
  await expect(runStep(url, 'Let AUTO_INCREMENT go on above')).rejects.toThrow(/timeout/i);
  await release();
  await runStep(url, 'Let AUTO_INCREMENT go on above');
  // It may run twice.
  await runStep(url, 'Let AUTO_INCREMENT go on above');
  expect(await runStep(url, 'Look into the new range')).toEqual([{ misplaced: 0 }]);

  const options = { name: 'order', database: url };
  const redis = { redis: inject('redisUrl'), keyPrefix: `${uniqueName('autoincrement')}:` };
  await using local = await createSegmentInprocGenerator(options);
  await using shared = await createSegmentRedisDbGenerator({ ...options, ...redis });
  const before = old.count;
  await Promise.all([insertAs(session, local, ROWS), insertAs(session, shared, ROWS), old.inserted(ROWS)]);
  const count = await old.stop();
  expect(old.failures).toEqual([]);
  expect(count).toBeGreaterThanOrEqual(before + ROWS);
  const [rows] = await runStep(url, 'Count rows by their writer');
  expect(Number(rows?.new_rows)).toBe(2 * ROWS);
  expect(Number(rows?.old_rows)).toBe(count + 1);
  expect(Number(rows?.late_rows)).toBeGreaterThanOrEqual(ROWS);

  // Back: the old version inserts as before, also while new processes still run.
  const late = await insertAsBefore(session);
  expect(late).toBeGreaterThan(NEW_END);
  await insertAs(session, local, 10);

  await runStep(url, 'Remove AUTO_INCREMENT');
  await expect(insertAsBefore(session)).rejects.toThrow("Field 'id' doesn't have a default value");
  await insertAs(session, local, 10);
  await runStep(url, 'Restore AUTO_INCREMENT');
  expect(await insertAsBefore(session)).toBe(late + 1);
  await insertAs(session, shared, 10);
  expect(await insertAsBefore(session)).toBe(late + 2);
});

it('the counter is above the new ids again after step 5, also when no old process inserted after step 2', async () => {
  const { url, session, executor } = await oldTable();
  await insertAsBefore(session);
  await continueAbove(executor, NEW_START);
  await runStep(url, 'Let AUTO_INCREMENT go on above');
  await using ids = await createSegmentInprocGenerator({ name: 'order', database: url });
  await insertAs(session, ids, 10);
  await runStep(url, 'Remove AUTO_INCREMENT');
  await insertAs(session, ids, 10);
  await runStep(url, 'Restore AUTO_INCREMENT');
  expect(await insertAsBefore(session)).toBe(NEW_END + 1);
  await insertAs(session, ids, 10);
});

it('would refuse inserts, if AUTO_INCREMENT went on from the new ids', async () => {
  const { url, session, executor } = await oldTable();
  await continueAbove(executor, NEW_START);
  await using ids = await createSegmentInprocGenerator({ name: 'order', database: url });
  await insertAs(session, ids, 1);
  await insertAsBefore(session);
  await expect(insertAs(session, ids, 1)).rejects.toThrow(`Duplicate entry '${NEW_START + 2}'`);
});

/** A table of the old version. */
async function oldTable() {
  const url = await mysql().shared();
  const session = mysql().connect(url, 8);
  onTestFinished(() => session.end());
  await session.query(
    'CREATE TABLE orders (id bigint NOT NULL AUTO_INCREMENT PRIMARY KEY, item text NOT NULL)',
  );
  const executor = await fromMysqlUrl(url);
  onTestFinished(() => executor.close());
  return { url, session, executor };
}

/** Runs a step of the guide on one connection. Resolves with the rows of its last statement. */
async function runStep(url: string, name: string): Promise<Rows> {
  await using session = mysql().connect(url, 1);
  let rows: Rows = [];
  for (const statement of statementsOf(name)) rows = await session.query(statement);
  return rows;
}

function mysql(): SqlDialect {
  const found = SQL_DIALECTS.find(({ dialect }) => dialect === 'mysql');
  if (found === undefined) throw new Error('there is no dialect of MySQL');
  return found;
}

/** What processes of the old version do until they are stopped: AUTO_INCREMENT issues the ids. */
function startOldWriters(session: SqlSession) {
  let stopped = false;
  let count = 0;
  const failures: unknown[] = [];
  const progress = new EventEmitter();
  const write = async (): Promise<void> => {
    while (!stopped) {
      await session
        .query("INSERT INTO orders (item) VALUES ('old')")
        .then(() => (count += 1))
        .catch((error) => failures.push(error));
      progress.emit('tried');
    }
  };
  const ended = Promise.all([write(), write(), write()]);
  const stop = async (): Promise<number> => {
    stopped = true;
    await ended;
    return count;
  };
  return {
    failures,
    get count() {
      return count;
    },
    /** Resolves when they have inserted so many more rows. */
    async inserted(more: number): Promise<void> {
      for (const until = count + more; count < until && failures.length === 0; ) {
        await once(progress, 'tried');
      }
    },
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}

/** What a process of the old version does. Resolves with the id. */
async function insertAsBefore(session: SqlSession): Promise<number> {
  const [row] = await session.query("INSERT INTO orders (item) VALUES ('old') RETURNING id");
  return Number(row?.id);
}

/** What a process of the new version does. */
async function insertAs(session: SqlSession, ids: IdGenerator<number>, count: number): Promise<void> {
  for (const id of await ids.nextBatch(count)) {
    await session.query(`INSERT INTO orders (id, item) VALUES (${id}, 'new')`);
  }
}
