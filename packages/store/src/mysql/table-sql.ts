import { IdError } from '@ids/core';
import { pastCollisions } from '../collisions.js';
import type { CallOptions, Row } from '../executor.js';
import type { TableWording } from '../table-shape.js';
import {
  assertMysqlDurable,
  assertNoReplica,
  FACTS_STATEMENTS,
  readFacts,
  type ServerFacts,
} from './durability.js';
import { isCollision, isDenied, isMissingTable, mysqlError } from './errors.js';
import type { MysqlExecutor } from './pool.js';

/** Runs statements on one table, again after collisions, and names the table in what fails. */
export interface TableSql {
  readonly table: string;
  /** Reads rows. */
  rows(text: string, options?: CallOptions): Promise<readonly Row[]>;
  /** Changes a row, and then reads what it says. */
  change(text: string, read: string, options?: CallOptions): Promise<Row | undefined>;
  /** As `MysqlExecutor.commit`, for what happens rarely: refuses a replica. */
  commit(text: string, options?: CallOptions): Promise<void>;
  /** As `MysqlExecutor.apart`; again after collisions. Refuses a replica. */
  apart(use: Parameters<MysqlExecutor['apart']>[0]): Promise<void>;
  /** Runs anything; `run` is called again for each attempt. */
  attempt<T>(run: (signal?: AbortSignal) => Promise<T>, options?: CallOptions): Promise<T>;
  /** How the server of `row` is set. Throws `ERR_IDS_CONFIG` if it could lose reservations, or make none. */
  durableFacts(row: Row, options?: CallOptions): Promise<ServerFacts>;
  /**
   * Throws `ERR_IDS_CONFIG` if the grant log, whose quoted name is `log`, is missing. A service's account has
   * no right on it, and then cannot see it: what it first reserves shows whether the log is there.
   */
  assertLog(log: string, options?: CallOptions): Promise<void>;
  /** The error for a grant log with a fault: `is missing`. */
  noLog(fault: string): IdError;
}

export function tableSql(executor: MysqlExecutor, table: string, wording: TableWording): TableSql {
  const attempt: TableSql['attempt'] = async (run, { signal } = {}) => {
    try {
      return await pastCollisions(() => run(signal), isCollision, signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw mysqlError(error, table, wording);
    }
  };
  const rows: TableSql['rows'] = async (text, options) =>
    (await attempt((signal) => executor.execute(text, [], signal), options)).rows;
  const about = `${wording.what} ${table}`;
  const writable = (options?: CallOptions) => assertNoReplica((text) => rows(text, options), about);
  const noLog: TableSql['noLog'] = (fault) => {
    const mend = `create it with ${wording.create.split(' ')[0]}({ log: true })`;
    return new IdError('ERR_IDS_CONFIG', `${about}: its grant log ${table}_log ${fault}; ${mend}`);
  };
  return {
    table,
    rows,
    change: async (text, read, options) =>
      (await attempt((signal) => executor.change(text, read, signal), options)).rows[0],
    async commit(text, options) {
      await writable(options);
      await attempt((signal) => executor.commit(text, signal), options);
    },
    async apart(use) {
      await writable();
      await attempt(() => executor.apart(use));
    },
    attempt,
    async durableFacts(row, options) {
      const found: Row[] = [];
      for (const text of FACTS_STATEMENTS) found.push(...(await rows(text, options)));
      const facts = readFacts(found);
      assertMysqlDurable(row, facts, about);
      return facts;
    },
    async assertLog(log, options) {
      try {
        await rows(`SELECT 1 FROM ${log} WHERE FALSE`, options);
      } catch (error) {
        if (isMissingTable(error)) throw noLog('is missing');
        if (!isDenied(error)) throw error;
      }
    },
    noLog,
  };
}
