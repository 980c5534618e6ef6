import type { RequestOptions } from '@ids/core';
import type { Reinstated, ReinstateOptions, SequenceState } from '@ids/segment';
import { anyDialect, type SqlExecutor } from '@ids/store';
import type { KeyedAnswer, KeyedReserveOptions, KeyedSource, KeyRequest } from '../keyed-source.js';
import { mysqlDialect } from '../mysql/dialect.js';
import { postgresDialect } from '../postgres/dialect.js';
import { sqliteDialect } from '../sqlite/dialect.js';
import type { SqlKeyedSourceOptions } from '../table/options.js';

// Those with the tag @function are listed among the functions of the API reference.
const { of, call, sql } = anyDialect({
  postgres: postgresDialect,
  mysql: mysqlDialect,
  sqlite: sqliteDialect,
});

/** Families in a segment table, and their keys in a table beside it. */
export class SqlKeyedSource implements KeyedSource {
  readonly #source: KeyedSource;

  constructor(executor: SqlExecutor, options?: SqlKeyedSourceOptions) {
    this.#source = of(executor).source(executor, options);
  }

  /** Also rejects with `ERR_IDS_CONFIG` if the store could lose reservations, or cannot make any. */
  describe(family: string, options?: RequestOptions): Promise<SequenceState> {
    return this.#source.describe(family, options);
  }

  reserve(
    family: string,
    requests: readonly KeyRequest[],
    options: KeyedReserveOptions,
  ): Promise<KeyedAnswer> {
    return this.#source.reserve(family, requests, options);
  }

  async reinstate(family: string, options: ReinstateOptions): Promise<Reinstated | undefined> {
    return this.#source.reinstate?.(family, options);
  }

  highest(family: string, key: string, options?: RequestOptions): Promise<number | undefined> {
    return this.#source.highest(family, key, options);
  }

  close(): Promise<void> {
    return this.#source.close();
  }
}

/**
 * The DDL of a segment table and of the table with its keys, for a migration: statements separated by
 * semicolons, safe to run again. Needs Postgres 14, MariaDB 10.6, MySQL 8.0.29 or SQLite 3.35, or later. The
 * table of the keys rejects what could make a key issue an id twice: a lower `max_id`, a renamed or deleted
 * row and, on Postgres, TRUNCATE. A schema in the name must exist.
 * @function
 */
export const keyedSchema = sql('keyedSchema');

/**
 * Creates both tables with their guards, unless they exist; then it changes nothing and takes no lock on
 * them. Any number of processes may call it at the same time. Rejects with `ERR_IDS_CONFIG`, which names the
 * columns, if one of them is of another shape; then nothing of it is changed.
 * @function
 */
export const ensureKeyedSchema = call('ensureKeyedSchema');

/**
 * What `ensureKeyedSchema` would create. It changes nothing, and needs no right on the tables; on MySQL the
 * right TRIGGER, without which triggers cannot be seen.
 * @function
 */
export const missingKeyedSchema = call('missingKeyedSchema');

/**
 * The least rights of a service's role, as SQL for a migration: it can reserve ids of keys, which creates
 * them, and describe the family. It cannot create a family, nor rename or delete anything, except keys with
 * `deleteKeys`. On MySQL the role is an account: `name`, or `name@host`. Throws `ERR_IDS_CONFIG` for SQLite,
 * which has no rights.
 * @function
 */
export const keyedGrants = sql('keyedGrants');

/**
 * The rights on the table of the keys that the role of `executor` lacks and, with `log`, on their grant log;
 * `lackingRights` of `@ids/segment/sql` says the same of the table of the families. None if there is no such
 * table.
 * @function
 */
export const lackingKeyRights = call('lackingKeyRights');

/** The current group of a family, by the clock of the database; undefined if it has no groups. */
export const groupNow = call('groupNow');

/**
 * Where a key stands, what its next reservation would skip, and who has locked its row. Changes nothing. The
 * answer may be outdated when it arrives. Rejects with `ERR_IDS_CONFIG` if there is no such family.
 * @function
 */
export const describeKey = call('describeKey');

/**
 * Raises a key so that every later id is above `floor`. A key that is higher stays where it is; a new key is
 * created, never below where new keys start. A pending change of the reign stays pending: the next
 * reservation still skips ids above the floor, or is refused; `checked` ends that for this key. Redis and
 * processes still issue the ids that they hold. Waits for whoever has locked the key.
 * Resolves with the id at which the key stands then.
 *
 * With groups, `floor` is an id too, such as 2026112400000042 for number 42 of a day, and the key then stands
 * at least at the beginning of the current group.
 *
 * Rejects with `ERR_IDS_CONFIG` if there is no such family, and with a `RangeError` unless `floor` is a whole
 * number from 1 to 2^53 - 1 and, with groups, belongs to one that has begun by the clock of the database.
 * @function
 */
export const raiseKey = call('raiseKey');

/**
 * Deletes a key for good, for instance when a customer leaves. Resolves with false if it has no ids. It may
 * be called while generators run: if one of them uses the key again, the key continues above all its former
 * ids. To ensure that, all keys of the family that begin later start above them too, unless `mayRepeat` is
 * set.
 *
 * Rejects with `ERR_IDS_EXHAUSTED` if the key is used up, and with `ERR_IDS_REGRESSED` if it may have lost
 * ids and they are not to be skipped: then it can be deleted only with `mayRepeat`. Its entries in the grant
 * log are deleted too. Backups, the binary log, the WAL and a former primary still have it.
 * @function
 */
export const deleteKey = call('deleteKey');

/**
 * Who reserved an id of a key, and when, according to the grant log. Rejects with `ERR_IDS_CONFIG` if the key
 * has no ids, or if there is no log. Needs `SELECT` on both tables. Rejects with a `RangeError` unless `id`
 * is a whole number from 1 to 2^53 - 1.
 * @function
 */
export const whoIssued = call('whoIssued');
