import type { Pool as NeonPool, NeonQueryFunction } from '@neondatabase/serverless';
import type mysql from 'mysql2/promise';
import type pg from 'pg';
import type postgresJs from 'postgres';
import type { TableDump } from '../table-dump.js';

/** Rows by column, as the drivers return them; numbers may be strings. */
export type Rows = readonly Readonly<Record<string, unknown>>[];

/** Settings of a server by name. */
type Settings = Readonly<Record<string, string>>;

/** A server of one's own, of any kind: `startPostgres`, `startMariadb`. */
export interface SqlServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** The PID of the running server, or of the last one; changes with `start()`. */
  readonly pid: number;
  /** In order, or as in a crash: the next start recovers from the log. */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  /** On the same port, with the same data. */
  start(): Promise<void>;
  close(): Promise<void>;
  createDatabase(name?: string): Promise<string>;
}

/** A primary, and a replica that follows it and may lag. */
export interface SqlReplication extends AsyncDisposable {
  readonly primary: SqlServer;
  readonly replica: SqlServer;
  /** Resolves when the replica has what the primary had committed at the time of the call. */
  caughtUp(): Promise<void>;
  /** From now on the replica gets nothing more, as after a network partition. */
  cutOff(): Promise<void>;
  /** Makes the replica a primary with the data it has. The old one is not informed and continues. */
  promote(): Promise<void>;
  close(): Promise<void>;
}

/** An account without rights, until `run` grants some; `close` drops it. */
export interface SqlAccount {
  readonly name: string;
  readonly url: string;
  /** Runs one statement as an administrator. */
  run(sql: string): Promise<void>;
  close(): Promise<void>;
}

/** A few connections of a test to one database. */
export interface SqlSession extends AsyncDisposable {
  /** Runs one statement. */
  query(sql: string): Promise<Rows>;
  /** Runs one statement and keeps what it locks, until what it resolves with is called. */
  hold(sql: string): Promise<() => Promise<void>>;
  /** How many statements that contain `text` have waited for a lock, for `ms` milliseconds at least. */
  waiting(text: string, ms?: number): Promise<number>;
  end(): Promise<void>;
}

/** What a test has opened for the option `database`. */
export interface SqlClient {
  readonly database: pg.Pool | mysql.Pool | postgresJs.Sql | NeonPool | NeonQueryFunction<false, false>;
  end(): Promise<void>;
}

/**
 * What tests need of a kind of database: one value for each, whose parts have the same names, so that a test
 * runs on all of them by `describe.each(SQL_DIALECTS)`, and a reader can compare them one by one.
 */
export interface SqlDialect {
  readonly dialect: 'postgres' | 'mysql';
  /** How it is called in the titles of tests. */
  readonly server: string;
  /**
   * The URL of a database on the server that all tests of a run share. A test isolates its tables by their
   * names: `uniqueName`.
   */
  shared(): Promise<string>;
  /** Starts a server that keeps each acknowledged commit, unless `settings` say otherwise. */
  start(settings?: Settings): Promise<SqlServer>;
  /** Starts a pair whose primary does not wait for the replica. */
  startReplication(settings?: Settings): Promise<SqlReplication>;
  /** Opens a session of at most `max` connections, 4 by default. */
  connect(url: string, max?: number): SqlSession;
  /** A pool of its own driver. */
  openPool(url: string): pg.Pool | mysql.Pool;
  /** A client of any driver, as a service may hand one in, with at most `max` connections, 4 by default. */
  openClient(url: string, max?: number): Promise<SqlClient>;
  createAccount(url: string): Promise<SqlAccount>;
  /** SQL that returns a row for each open connection of an account. */
  connectionsOf(account: string): string;
  /** A dump of a table; `restoreTo` replaces the table with it, as the tools of this database do. */
  dumpTable(url: string, table: string): Promise<TableDump>;
  /** SQL that locks all rows of `table`. */
  lockRows(table: string): string;
  /** SQL that locks `table` for everybody else. */
  lockTable(table: string): string;
  /** Statements that set `max_id` of a sequence of a segment table back, past what guards it. */
  lower(table: string, sequence: string, maxId: number): readonly string[];
}
