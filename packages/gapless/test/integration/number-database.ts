import type { Socket } from 'node:net';
import { uniqueName } from '@ids/local-services';
import {
  connectToFile,
  type FileDialect,
  SQL_DIALECTS,
  type SqlDialect,
  type SqlSession,
} from '@ids/local-services/dialects';
import type { SqlExecutor } from '@ids/store';
import { openDatabase } from '@ids/store/open';
import { whileBusy } from '@ids/store/sqlite';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { createSeries, ensureNumberSchema } from '../../src/index.js';

export const [POSTGRES, MARIADB] = ['postgres', 'mysql'].map((name) => {
  const found = SQL_DIALECTS.find(({ dialect }) => dialect === name);
  if (found === undefined) throw new TypeError(`unreachable: there is a ${name}`);
  return found;
}) as [SqlDialect, SqlDialect];

/** A connection of a driver, as a service holds one. */
export interface Caller {
  /** What `nextWithin` takes. */
  readonly tx: object;
  run(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  end(): Promise<void>;
  /** Ends the connection without a word to the server, as the end of its process does. */
  drop(): Promise<void>;
}

/** The tables of one series, and one for its documents, on a server. */
export interface NumberDatabase {
  readonly url: string;
  readonly executor: SqlExecutor;
  readonly session: SqlSession;
  readonly table: string;
  /** A table with the columns `number` and `customer`. */
  readonly invoices: string;
  /** Opens a connection of its own, which ends with the test. */
  connect(application?: string): Promise<Caller>;
}

export async function openNumberDatabase(
  { shared, connect }: SqlDialect | FileDialect,
  { url: own, series = 'invoice' }: { readonly url?: string; readonly series?: string } = {},
): Promise<NumberDatabase> {
  const url = own ?? (await shared());
  const table = uniqueName('number');
  const executor = await openDatabase(url);
  onTestFinished(() => executor.close());
  const session = connect(url);
  onTestFinished(() => session.end());
  await ensureNumberSchema(executor, { table });
  await createSeries(executor, series, { table });
  const invoices = `${table}_invoice`;
  await session.query(`CREATE TABLE ${invoices} (number bigint NOT NULL, customer varchar(80) NOT NULL)`);
  return { url, executor, session, table, invoices, connect: (application) => openCaller(url, application) };
}

/** A connection to `url`, which ends with the test. */
export async function openCaller(url: string, application = 'test'): Promise<Caller> {
  const open = url.startsWith('sqlite') ? openFile : url.startsWith('postgres') ? openPg : openMysql;
  const caller = await open(url, application);
  onTestFinished(() => caller.end());
  return caller;
}

/** Waits for locks without blocking the others, which are in the same process. */
async function openFile(url: string): Promise<Caller> {
  const tx = connectToFile(url);
  tx.exec('PRAGMA busy_timeout = 0');
  const end = async (): Promise<void> => {
    if (tx.open) tx.close();
  };
  return {
    tx,
    run: (sql) =>
      whileBusy(() => {
        if (/^(SELECT|PRAGMA \w+$)|\bRETURNING\b/.test(sql)) return tx.prepare(sql).all();
        tx.exec(sql);
        return [];
      }, undefined),
    end,
    // libsql goes on with the transaction of a database that is closed until its statements are collected.
    drop: async () => {
      if (tx.open && process.versions.node.startsWith('20.')) tx.exec('ROLLBACK');
      await end();
    },
  };
}

async function openPg(url: string, application: string): Promise<Caller> {
  const client = new pg.Client({ connectionString: url, application_name: application });
  // A server that is stopped is no uncaught error.
  client.on('error', () => {});
  await client.connect();
  let ended: Promise<void> | undefined;
  return {
    tx: client,
    run: async (sql) => (await client.query(sql)).rows,
    end: () => (ended ??= client.end()),
    drop: async () => {
      ended = new Promise((resolve) => client.once('end', () => resolve()));
      (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
      await ended;
    },
  };
}

async function openMysql(url: string, application: string): Promise<Caller> {
  const connection = await mysql.createConnection({
    uri: url,
    connectAttributes: { program_name: application },
  });
  connection.on('error', () => {});
  let ended: Promise<void> | undefined;
  return {
    tx: connection,
    run: async (sql) => {
      const [rows] = await connection.query(sql);
      return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : [];
    },
    end: () => (ended ??= connection.end().catch(() => connection.destroy())),
    drop: () => (ended ??= Promise.resolve(connection.destroy())),
  };
}

/** Begins a transaction, does `work` and commits; rolls back if it rejects. */
export async function inTransaction<T>({ run }: Caller, work: () => Promise<T>): Promise<T> {
  await run('BEGIN');
  try {
    const result = await work();
    await run('COMMIT');
    return result;
  } catch (error) {
    await run('ROLLBACK');
    throw error;
  }
}

/** What MySQL reads of a statement: not the comments for MariaDB, but those for MySQL. */
export function asMysqlReads(text: string): string {
  return text.replaceAll(/\/\*M!.*?\*\//gs, '').replaceAll(/\/\*!80000 (.*?) \*\//gs, '$1');
}
