import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { compiledModule } from '@ids/conformance';
import { ALL_DIALECTS, SQL_DIALECTS } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, onTestFinished } from 'vitest';
import { findGaps, nextWithin } from '../../src/index.js';
import { inTransaction, type NumberDatabase, openCaller, openNumberDatabase } from './number-database.js';

/** What the audit says of the documents of all customers. */
async function audit({ executor, table, invoices }: NumberDatabase) {
  const documents = { table: invoices, column: 'number', keyColumn: 'customer' };
  return (await findGaps(executor, documents, { table, series: 'invoice' })).findings;
}

async function countDocuments({ session, invoices }: NumberDatabase): Promise<number> {
  const [row] = await session.query(`SELECT count(*) AS n FROM ${invoices}`);
  return Number(row?.n);
}

/** Issues documents until `until`, on a new connection after each failure. Resolves with its failures. */
async function issueUntil(database: NumberDatabase, until: () => boolean): Promise<number> {
  const { url, table, invoices } = database;
  let failures = 0;
  while (!until()) {
    try {
      const caller = await openCaller(url);
      while (!until()) {
        await inTransaction(caller, async () => {
          const number = await nextWithin(caller.tx, 'invoice', 'acme', { table });
          await caller.run(`INSERT INTO ${invoices} VALUES (${number}, 'acme')`);
        });
      }
    } catch {
      failures++;
    }
  }
  return failures;
}

/** How long servers and processes may take to start, and to issue some numbers, on a busy machine. */
const LIMIT_MS = 20_000;

describe.each(SQL_DIALECTS)('numbers on $server', (kind) => {
  faultTest('have no gap and no repeat after crashes of the server in the middle', async () => {
    const server = await kind.start();
    onTestFinished(() => server.close());
    const database = await openNumberDatabase(kind, { url: server.url });
    let done = false;
    const callers = Array.from({ length: 4 }, () => issueUntil(database, () => done));
    for (let crash = 0; crash < 2; crash++) {
      const before = await countDocuments(database);
      await expect.poll(() => countDocuments(database), { timeout: LIMIT_MS }).toBeGreaterThan(before + 20);
      await injectFault(async () => {
        await server.stop('immediate');
        await server.start();
      });
    }
    const before = await countDocuments(database);
    await expect.poll(() => countDocuments(database), { timeout: LIMIT_MS }).toBeGreaterThan(before + 20);
    done = true;
    const failures = (await Promise.all(callers)).reduce((sum, one) => sum + one, 0);
    expect(failures, 'failures that callers saw').toBeGreaterThan(0);
    expect(await audit(database)).toEqual([]);
  });
});

describe.each(ALL_DIALECTS)('numbers of processes on $server', (kind) => {
  faultTest('have no gap and no repeat after processes were killed in the middle', async () => {
    const database = await openNumberDatabase(kind);
    const issuer = await compiledModule(new URL('./fixtures/issuer.ts', import.meta.url));
    const start = (): ChildProcess => {
      const child = fork(issuer, [database.url, database.table, database.invoices], { stdio: 'ignore' });
      onTestFinished(() => void child.kill('SIGKILL'));
      return child;
    };
    let killed = 0;
    for (let round = 0; round < 3; round++) {
      const [one, other] = [start(), start()];
      const before = await countDocuments(database);
      await expect.poll(() => countDocuments(database), { timeout: LIMIT_MS }).toBeGreaterThan(before + 10);
      for (const child of [one, other]) {
        await injectFault(async () => {
          const ended = once(child, 'exit');
          child.kill('SIGKILL');
          const [, signal] = await ended;
          if (signal === 'SIGKILL') killed++;
        });
      }
    }
    expect(killed, 'processes that were killed').toBe(6);
    const caller = await database.connect();
    // Waits for the end of what they left behind.
    await inTransaction(caller, async () => {
      const number = await nextWithin(caller.tx, 'invoice', 'acme', { table: database.table });
      await caller.run(`INSERT INTO ${database.invoices} VALUES (${number}, 'acme')`);
    });
    expect(await audit(database)).toEqual([]);
  });
});
