// Commits per second of one key and of many, beside what people write:
// tsx packages/gapless/test/measure/speed.ts [seconds per run] [runs]
// Each transaction takes a number, inserts a document and commits. The kinds take turns.
import { randomUUID } from 'node:crypto';
import { SQL_DIALECTS } from '@ids/local-services/dialects';
import { openDatabase } from '@ids/store/open';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { createSeries, ensureNumberSchema, nextWithin } from '../../src/index.js';

const seconds = Number(process.argv[2] ?? 0.3);
/** Many short rounds, so that what else the machine does meets all kinds alike. */
const ROUNDS = Number(process.argv[3] ?? 20);

interface Client {
  readonly tx: unknown;
  run(sql: string): Promise<Record<string, unknown>[]>;
  end(): Promise<unknown>;
}

async function connect(url: string): Promise<Client> {
  if (url.startsWith('postgres')) {
    const tx = new pg.Client({ connectionString: url });
    await tx.connect();
    return { tx, run: async (sql) => (await tx.query(sql)).rows, end: () => tx.end() };
  }
  const tx = await mysql.createConnection(url);
  const run = async (sql: string) => {
    const [rows] = await tx.query(sql);
    return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : [];
  };
  return { tx, run, end: () => tx.end() };
}

type Take = (client: Client, key: string) => Promise<unknown>;

function kinds(dialect: 'postgres' | 'mysql'): Record<string, Take> {
  const isKey = (key: string) => `FROM counters WHERE name = '${key}'`;
  const raise = (key: string) => `UPDATE counters SET last = last + 1 WHERE name = '${key}'`;
  return {
    'the bare UPDATE': async ({ run }, key) => {
      if (dialect === 'postgres') return (await run(`${raise(key)} RETURNING last`))[0]?.last;
      await run(raise(key));
      return (await run(`SELECT last ${isKey(key)}`))[0]?.last;
    },
    'SELECT FOR UPDATE': async ({ run }, key) => {
      const [row] = await run(`SELECT last ${isKey(key)} FOR UPDATE`);
      await run(raise(key));
      return Number(row?.last) + 1;
    },
    nextWithin: ({ tx }, key) => nextWithin(tx, 'invoice', key, { deadlineMs: 60_000 }),
    'nextWithin with a reference': ({ tx }, key) =>
      nextWithin(tx, 'invoice', key, { deadlineMs: 60_000, reference: randomUUID() }),
    // As most ORMs do it. They make an object for each transaction.
    'nextWithin, a statement at a time': ({ run }, key) =>
      nextWithin({ dialect, run }, 'invoice', key, { deadlineMs: 60_000 }),
  };
}

/** Commits per second of `clients`, each with its key. */
async function rate(clients: readonly Client[], keyOf: (who: number) => string, take: Take): Promise<number> {
  const until = performance.now() + 1_000 * seconds;
  let commits = 0;
  const work = clients.map(async (client, who) => {
    while (performance.now() < until) {
      await client.run('BEGIN');
      const number = await take(client, keyOf(who));
      await client.run(`INSERT INTO invoices VALUES (${number}, '${keyOf(who)}')`);
      await client.run('COMMIT');
      commits++;
    }
  });
  await Promise.all(work);
  return commits / seconds;
}

/** In the same transaction as a counter table whose trigger gives the number: no statement takes it. */
async function trigger(clients: readonly Client[], keyOf: (who: number) => string): Promise<number> {
  const until = performance.now() + 1_000 * seconds;
  let commits = 0;
  const work = clients.map(async ({ run }, who) => {
    while (performance.now() < until) {
      await run('BEGIN');
      await run(`INSERT INTO numbered (customer) VALUES ('${keyOf(who)}')`);
      await run('COMMIT');
      commits++;
    }
  });
  await Promise.all(work);
  return commits / seconds;
}

const TRIGGERS = {
  postgres: [
    `CREATE FUNCTION give() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      UPDATE counters SET last = last + 1 WHERE name = NEW.customer RETURNING last INTO NEW.number; RETURN NEW; END $$`,
    'CREATE TRIGGER give BEFORE INSERT ON numbered FOR EACH ROW EXECUTE FUNCTION give()',
  ],
  mysql: [
    `CREATE TRIGGER give BEFORE INSERT ON numbered FOR EACH ROW BEGIN
      UPDATE counters SET last = last + 1 WHERE name = NEW.customer;
      SET NEW.number = (SELECT last FROM counters WHERE name = NEW.customer); END`,
  ],
};

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

for (const { dialect, server, start } of SQL_DIALECTS) {
  await using database = await start();
  const executor = await openDatabase(database.url);
  await ensureNumberSchema(executor);
  await createSeries(executor, 'invoice');
  const admin = await connect(database.url);
  await admin.run('CREATE TABLE counters (name varchar(80) PRIMARY KEY, last bigint NOT NULL)');
  await admin.run('CREATE TABLE invoices (number bigint, customer varchar(80))');
  await admin.run('CREATE TABLE numbered (number bigint, customer varchar(80))');
  for (const sql of TRIGGERS[dialect]) await admin.run(sql);
  for (let key = 0; key < 16; key++) await admin.run(`INSERT INTO counters VALUES ('k${key}', 0)`);
  for (const [title, callers, keys] of [
    ['1 caller', 1, 1],
    ['8 callers of one key', 8, 1],
    ['8 callers, each with a key', 8, 8],
  ] as const) {
    const clients = await Promise.all(Array.from({ length: callers }, () => connect(database.url)));
    const keyOf = (who: number) => `k${who % keys}`;
    const runs = [
      ...Object.entries(kinds(dialect)).map(([name, take]) => ({
        name,
        run: () => rate(clients, keyOf, take),
        rates: [] as number[],
      })),
      { name: 'a trigger', run: () => trigger(clients, keyOf), rates: [] as number[] },
    ];
    for (let round = 0; round < ROUNDS; round++) {
      // The order changes, so that none always comes after the same one.
      const order = round % 2 === 0 ? runs : runs.toReversed();
      for (const { run, rates } of order) rates.push(await run());
    }
    const bare = runs[0]?.rates ?? [];
    for (const { name, rates } of runs) {
      const ratios = rates.map((one, round) => one / (bare[round] ?? Number.NaN));
      const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
      console.log(
        `${server}, ${title}: ${name} ${Math.round(median(rates))}/s, ${median(ratios).toFixed(2)} (${spread})`,
      );
    }
    for (const client of clients) await client.end();
  }
  await admin.end();
  await executor.close();
}
