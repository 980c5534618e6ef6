import { anyDialect } from '../any-dialect.js';
import type { SqlExecutor } from '../executor.js';
import {
  ensureMysqlTable,
  type MysqlGuardedTable,
  missingMysqlParts,
  mysqlGuardedSchema,
} from '../mysql/guarded-table.js';
import {
  mysqlGrantsOn,
  type NeededColumns,
  rightsLackedByTrying,
  watched,
  watchedLog,
} from '../mysql/rights.js';
import {
  ensureGuardedTable,
  type GuardedTable,
  guardedTableSchema,
  missingParts,
} from '../postgres/guarded-table.js';
import { postgresGrantsOn, rightsLackedOn, type ServiceColumns } from '../postgres/rights.js';
import type { DialectOption, LackingRights, SchemaOptions, SchemaPart } from '../schema.js';
import {
  ensureSqliteTable,
  missingSqliteParts,
  type SqliteGuardedTable,
  sqliteGuardedSchema,
} from '../sqlite/guarded-table.js';
import { NO_SQLITE_RIGHTS, noSqliteGrants } from '../sqlite/rights.js';

export { isMissingTable, rowValue } from './row-value.js';

/** A guarded table in every database, and the columns of it that a service uses. */
export interface GuardedTables {
  /** The name of the table by default. */
  readonly defaultTable: string;
  readonly postgres: { readonly guarded: GuardedTable; readonly columns: ServiceColumns };
  /** The log needs no right here: triggers write it. */
  readonly mysql: {
    readonly guarded: MysqlGuardedTable;
    readonly columns: Omit<NeededColumns, 'table'>;
  };
  /** Absent: there is no such table on SQLite yet. It has no rights, so it needs no columns. */
  readonly sqlite?: { readonly guarded: SqliteGuardedTable } | undefined;
}

/**
 * What can be done to such a table, in the database of an executor or as SQL for a migration. The packages
 * that have one publish these functions, and say what they do.
 */
export function guardedTables({ defaultTable, postgres, mysql, sqlite }: GuardedTables) {
  const { of } = anyDialect<Operations>({
    postgres: onPostgres(postgres),
    mysql: onMysql(mysql),
    ...(sqlite && { sqlite: onSqlite(sqlite.guarded) }),
  });
  return {
    schema(
      table: string = defaultTable,
      { log = false, ...options }: Omit<SchemaOptions, 'table'> & DialectOption = {},
    ): string {
      return of(options).schema(table, log);
    },
    ensure(executor: SqlExecutor, { table = defaultTable, log = false }: SchemaOptions = {}): Promise<void> {
      return of(executor).ensure(executor, table, log);
    },
    missing(
      executor: SqlExecutor,
      { table = defaultTable, log = false }: SchemaOptions = {},
    ): Promise<SchemaPart[]> {
      return of(executor).missing(executor, table, log);
    },
    grants(
      role: string,
      { table = defaultTable, log = false, ...options }: SchemaOptions & DialectOption = {},
    ): string {
      return of(options).grants(role, table, log);
    },
    lackingRights(
      executor: SqlExecutor,
      { table = defaultTable, log = false }: SchemaOptions = {},
    ): Promise<LackingRights> {
      return of(executor).lackingRights(executor, table, log);
    },
  };
}

/** The same for one kind of database. */
interface Operations {
  schema(table: string, log: boolean): string;
  ensure(executor: SqlExecutor, table: string, log: boolean): Promise<void>;
  missing(executor: SqlExecutor, table: string, log: boolean): Promise<SchemaPart[]>;
  grants(role: string, table: string, log: boolean): string;
  lackingRights(executor: SqlExecutor, table: string, log: boolean): Promise<LackingRights>;
}

function onPostgres({ guarded, columns }: GuardedTables['postgres']): Operations {
  return {
    schema: (...given) => guardedTableSchema(guarded, ...given),
    ensure: (...given) => ensureGuardedTable(guarded, ...given),
    missing: (...given) => missingParts(guarded, ...given),
    grants: (...given) => postgresGrantsOn(columns, ...given),
    lackingRights: (executor, table, log) => rightsLackedOn(executor, columns, table, log, guarded.wording),
  };
}

function onMysql({ guarded, columns }: GuardedTables['mysql']): Operations {
  return {
    schema: (...given) => mysqlGuardedSchema(guarded, ...given),
    ensure: (...given) => ensureMysqlTable(guarded, ...given),
    missing: (...given) => missingMysqlParts(guarded, ...given),
    grants: (role, table) => mysqlGrantsOn(role, { ...columns, table }),
    lackingRights(executor, table, log) {
      const needed = { ...columns, table };
      const tables = [watched(needed), ...(log ? [watchedLog(table)] : [])];
      return rightsLackedByTrying(executor, needed, guarded.wording, tables);
    },
  };
}

function onSqlite(guarded: SqliteGuardedTable): Operations {
  return {
    schema: (...given) => sqliteGuardedSchema(guarded, ...given),
    ensure: (...given) => ensureSqliteTable(guarded, ...given),
    missing: (...given) => missingSqliteParts(guarded, ...given),
    grants: noSqliteGrants,
    lackingRights: async () => NO_SQLITE_RIGHTS,
  };
}
