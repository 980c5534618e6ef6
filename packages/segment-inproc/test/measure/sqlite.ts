// What a file of SQLite gives, with each driver that this Node.js has:
// npx tsx packages/segment-inproc/test/measure/sqlite.ts [folder on that disk] [seconds per run] [runs]
// - reservations per second, beside the same UPDATE sent by the driver alone, prepared once. They take turns.
//   A connection that is opened here, by a URL, needs fewer questions than one that is handed in.
// - ids in real-time order per second, of one caller, and how long each blocks the event loop.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { SQLITE_DRIVERS, type SqliteConnection } from '@ids/local-services/dialects';
import { createSequence, ensureSchema, fromSqlite, fromSqliteUrl, SqlSegmentSource } from '@ids/segment/sql';
import { createSegmentInprocGenerator } from '../../src/index.js';

const [parent = tmpdir(), seconds = 0.5, rounds = 20] = process.argv.slice(2);

const SETTINGS = {
  DELETE: 'PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA',
  WAL: 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL',
};

/** How often `take` ends in a second. */
async function rate(take: () => unknown): Promise<number> {
  const start = performance.now();
  const end = start + Number(seconds) * 1_000;
  let count = 0;
  for (; performance.now() < end; count++) await take();
  return (count * 1_000) / (performance.now() - start);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The UPDATE of a reservation, prepared once. */
async function bareOf(database: SqliteConnection): Promise<() => unknown> {
  const executor = fromSqlite(database);
  await ensureSchema(executor);
  await createSequence(executor, 'bare');
  let sent: { text: string; values: readonly unknown[] } | undefined;
  const source = new SqlSegmentSource({
    ...executor,
    execute: (text, values, ...rest) => {
      sent = { text, values };
      return executor.execute(text, values, ...rest);
    },
  });
  // The first one writes the file into the row.
  for (let twice = 0; twice < 2; twice++) await source.reserve('bare', 1);
  if (sent === undefined) throw new Error('nothing was sent');
  const { text, values } = sent;
  const statement = database.prepare(text);
  return () => {
    if (statement.all(...values).length !== 1) throw new Error('the bare statement reserved nothing');
  };
}

/** The longest time in milliseconds for which the event loop did nothing else, for each of these calls. */
async function blockedBy(take: () => Promise<unknown>, calls: number): Promise<readonly number[]> {
  const blocked: number[] = [];
  for (let made = 0; made < calls; made++) {
    let last = performance.now();
    let longest = 0;
    let ticking = true;
    const tick = (): void => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
      if (ticking) setImmediate(tick);
    };
    setImmediate(tick);
    await take();
    ticking = false;
    tick();
    blocked.push(longest);
  }
  return blocked;
}

async function measure(
  driver: string,
  open: (path: string) => SqliteConnection,
  mode: keyof typeof SETTINGS,
  byUrl: boolean,
): Promise<void> {
  const folder = mkdtempSync(join(parent, 'ids-sqlite-'));
  const set = (name: string): SqliteConnection => {
    const database = open(join(folder, name));
    database.exec(SETTINGS[mode]);
    return database;
  };
  const [beside, database] = [set('bare.db'), set('ids.db')];
  const url = `sqlite:${join(folder, 'ids.db')}`;
  const executor = byUrl ? fromSqliteUrl(url) : fromSqlite(database);
  await ensureSchema(executor);
  await createSequence(executor, 'order');
  const source = new SqlSegmentSource(executor);
  const takes = [await bareOf(beside), () => source.reserve('order', 1)] as const;
  const rates: readonly [number[], number[]] = [[], []];
  for (let round = 0; round < Number(rounds); round++) {
    for (const which of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      rates[which].push(await rate(takes[which]));
    }
  }
  const ratios = rates[1].map((one, round) => one / (rates[0][round] ?? Number.NaN));
  const generator = await createSegmentInprocGenerator({
    name: 'order',
    database: byUrl ? url : database,
    order: 'real-time',
  });
  const ordered = await rate(() => generator.next());
  const blocked = (await blockedBy(() => generator.next(), 300)).toSorted((a, b) => a - b);
  await generator.close();
  await executor.close();
  for (const open of [beside, database]) open.close();
  rmSync(folder, { recursive: true });
  const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  const [bare, own] = rates.map((values) => Math.round(median(values)));
  console.log(
    `${driver}, ${mode}: ${own} reservations/s beside ${bare}/s, ${median(ratios).toFixed(2)} (${spread}); ` +
      `real-time order ${Math.round(ordered)}/s, blocks ${median(blocked).toFixed(2)} ms, ` +
      `in one of a hundred ${blocked[Math.floor(blocked.length * 0.99)]?.toFixed(1)} ms`,
  );
}

for (const [index, { driver, open }] of SQLITE_DRIVERS.entries()) {
  for (const mode of ['DELETE', 'WAL'] as const) {
    await measure(driver, open, mode, false);
    // A URL takes the first driver that is there.
    if (index === 0) await measure(`${driver}, by URL`, open, mode, true);
  }
}
