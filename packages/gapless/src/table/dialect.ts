import type { LackingRights, ReignChange, SchemaPart, SqlExecutor } from '@ids/store';
import type { Documents, GapStatements } from './documents.js';

/**
 * What commands and migrations do with series in another way on each kind of database: one value for each, in
 * `NAME/dialect.ts`, whose parts have the same names. What a caller's transaction needs is not in it, so that
 * a service bundles no DDL. What each part does is written in `series.ts` and `series-state.ts`, which have
 * checked what they pass on.
 */
export interface SeriesDialect<Executor extends SqlExecutor = SqlExecutor> {
  schema(table: string): string;
  ensure(executor: Executor, table: string): Promise<void>;
  missing(executor: Executor, table: string): Promise<SchemaPart[]>;
  grants(role: string, table: string): string;
  lackingRights(executor: Executor, table: string): Promise<LackingRights>;

  create(executor: Executor, name: string, table: string): Promise<boolean>;
  /** Statements that create and seed a series, with the transaction around them. */
  seriesSql(name: string, table: string, documents: Documents | undefined): string[];
  /** Resolves with false if there is no such series. */
  accept(executor: Executor, name: string, table: string): Promise<boolean>;
  findChange(executor: Executor, name: string, table: string): Promise<ReignChange | undefined>;

  /** Columns `known`, `keys`, `highest` and `used_up`: the keys whose last number is `end` or more. */
  seriesStatement(name: string, table: string, end: number): string;
  /** Column `key`, in hexadecimal digits: `key` itself first, and then others that begin with `prefix`. */
  keysStatement(name: string, table: string, key: string, prefix: string, most: number): string;
  /** Columns `keys` and `highest`. Without a `table`, there are no series yet. */
  unseededStatement(name: string, table: string | undefined, documents: Documents): string;
  readonly gaps: GapStatements;
}
