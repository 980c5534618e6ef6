import { setTimeout as pause } from 'node:timers/promises';
import { createHttpGenerator } from '@ids/http';
import { offsetWithMidnightIn, openPostgresPool, uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { createSequence, fromPgUrl } from '@ids/segment/sql';
import { afterEach, expect, inject, it, vi } from 'vitest';
import { createTable } from '../support/sequence.js';
import { serveHere } from '../support/serve-in-process.js';

/** How many ids a day has, plus one. */
const DAY_IDS = 100_000_000;
const DAY_MS = 86_400_000;
const PAUSE_MS = 20;

afterEach(() => void vi.useRealTimers());

it('issues no leased id after its day by the database, whatever client and server think it is', async () => {
  const database = inject('databaseUrl');
  const table = await createTable(database, uniqueName('tickets'));
  const timeZone = offsetWithMidnightIn(4);
  const executor = await fromPgUrl(database);
  await createSequence(executor, 'ticket', { table: table.table, group: { by: 'day', timeZone } });
  await executor.close();
  await using server = await serveHere();
  await server.serveSequence(table, 'ticket', 'increasing');
  const pool = openPostgresPool(database, { max: 1 });
  const dayNow = async (): Promise<number> => {
    const text = `SELECT to_char(now() AT TIME ZONE 'UTC' + $1::interval, 'YYYYMMDD')::int AS day`;
    return (await pool.query(text, [timeZone])).rows[0].day;
  };
  const ids = await createHttpGenerator({ url: server.url, name: 'ticket', mode: 'segments' });
  const today = await dayNow();
  const next = async (): Promise<number> => {
    const earliest = await dayNow();
    const day = Math.floor((await ids.next()) / DAY_IDS);
    expect(day).toBeGreaterThanOrEqual(earliest);
    return day;
  };
  // A clock that is set on both sides, while they hold ids of today.
  for (let step = -1; (await next()) === today; step = -step) {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + step * DAY_MS });
    await pause(PAUSE_MS);
  }
  expect(await next()).toBeGreaterThan(today);
  await ids.close();
  await pool.end();
});
