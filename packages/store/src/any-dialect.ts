import { IdError } from '@ids/core';
import type { SqlExecutor } from './executor.js';
import type { DialectOption } from './schema.js';

/** The names of the members of `Dialect` that are functions of this kind. */
type NamesOf<Dialect, Kind> = {
  [Name in keyof Dialect]: Dialect[Name] extends Kind ? Name : never;
}[keyof Dialect];

// Every function takes arguments of the type `never`.
type OnExecutor = (executor: SqlExecutor, ...given: never) => unknown;
type Sql = (subject: never, options: never) => string;

/**
 * Functions for every database, from one object for each of them, all with functions of the same names.
 * `mysql` is only called with a `MysqlExecutor`, so its functions may require one; the same holds for
 * `sqlite`. Without `sqlite`, they throw `ERR_IDS_CONFIG` there.
 */
export function anyDialect<Dialect extends object>(dialects: {
  readonly postgres: Dialect;
  readonly mysql: NoInfer<Dialect>;
  readonly sqlite?: NoInfer<Dialect>;
}) {
  const of = ({ dialect = 'postgres' }: DialectOption): Dialect => dialects[dialect] ?? notOnSqlite();
  const named = (dialect: Dialect, name: keyof Dialect) => dialect[name] as (...given: unknown[]) => unknown;
  return {
    /** The object of an executor's database. */
    of,
    /** The function of this name, whose first argument is the executor that decides. */
    call: <Name extends NamesOf<Dialect, OnExecutor>>(name: Name): Dialect[Name] =>
      ((executor: SqlExecutor, ...given: unknown[]) =>
        named(of(executor), name)(executor, ...given)) as Dialect[Name],
    /** The function of this name that returns SQL, whose last argument is the options that decide. */
    sql: <Name extends NamesOf<Dialect, Sql>>(name: Name): Dialect[Name] =>
      ((subject: unknown, options: DialectOption = {}) =>
        named(of(options), name)(subject, options)) as Dialect[Name],
  };
}

/** Throws `ERR_IDS_CONFIG` for what only Postgres and MySQL can do. */
function notOnSqlite(): never {
  throw new IdError('ERR_IDS_CONFIG', 'this is not possible on SQLite; use Postgres, MySQL or MariaDB');
}
