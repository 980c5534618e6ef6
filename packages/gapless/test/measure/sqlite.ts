// Commits per second of one process on a file of SQLite, beside the bare UPDATE by the same driver:
// tsx packages/gapless/test/measure/sqlite.ts [folder] [seconds per run] [rounds]
// Each transaction takes a number, inserts a document and commits. The kinds take turns.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@ids/store/open';
import { openSqliteDatabase } from '@ids/store/sqlite/file';
import { createSeries, ensureNumberSchema, nextWithin, nextWithinSync } from '../../src/index.js';

interface Handle {
  exec(sql: string): unknown;
  prepare(sql: string): { all(...values: unknown[]): { last: number }[]; run(...values: unknown[]): unknown };
  close(): unknown;
}

const [parent = tmpdir(), seconds = '0.3', rounds = '20'] = process.argv.slice(2);
const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

for (const mode of ['DELETE', 'WAL']) {
  const folder = mkdtempSync(join(parent, 'ids-measure-'));
  const url = `sqlite:${join(folder, 'numbers.db')}`;
  const executor = await openDatabase(url);
  await ensureNumberSchema(executor);
  await createSeries(executor, 'invoice');
  await executor.close();
  const handle = (await openSqliteDatabase(url)) as Handle;
  handle.exec(`PRAGMA journal_mode = ${mode}; PRAGMA busy_timeout = 5000`);
  handle.exec('CREATE TABLE counters (name text PRIMARY KEY, last integer NOT NULL) WITHOUT ROWID');
  handle.exec("INSERT INTO counters VALUES ('acme', 0)");
  handle.exec('CREATE TABLE invoices (number integer, customer text)');
  const raise = handle.prepare('UPDATE counters SET last = last + 1 WHERE name = ? RETURNING last');
  const insert = handle.prepare('INSERT INTO invoices VALUES (?, ?)');
  const kinds = {
    'the bare UPDATE': () => raise.all('acme')[0]?.last,
    nextWithinSync: () => nextWithinSync(handle, 'invoice', 'acme'),
    nextWithin: () => nextWithin(handle, 'invoice', 'acme'),
  };
  const rates = Object.values(kinds).map((): number[] => []);
  for (let round = 0; round < Number(rounds); round++) {
    for (const [index, take] of Object.values(kinds).entries()) {
      const until = performance.now() + 1_000 * Number(seconds);
      let commits = 0;
      for (; performance.now() < until; commits++) {
        handle.exec('BEGIN IMMEDIATE');
        const taken = take();
        insert.run(taken instanceof Promise ? await taken : taken, 'acme');
        handle.exec('COMMIT');
      }
      rates[index]?.push(commits / Number(seconds));
    }
  }
  for (const [index, name] of Object.keys(kinds).entries()) {
    const ratios = (rates[index] ?? []).map((one, round) => one / (rates[0]?.[round] ?? Number.NaN));
    const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
    console.log(
      `${mode}: ${name} ${Math.round(median(rates[index] ?? []))}/s, ${median(ratios).toFixed(2)} (${spread})`,
    );
  }
  handle.close();
  rmSync(folder, { recursive: true });
}
