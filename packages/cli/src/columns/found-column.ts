import { type ColumnFacts, columnName } from '@ids/config/swap';
import { IdError } from '@ids/core';
import { nearestName } from '@ids/core/strategy';
import type { SqlExecutor } from '@ids/store';

/** A column of the config, in parts. */
export interface Wanted {
  /** As the config has it. */
  readonly name: string;
  readonly schema: string | undefined;
  readonly table: string;
  readonly column: string;
  /** Whether to read its counter as well, for which the role may need another right. */
  readonly counted: boolean;
}

/** What the database knows of a column, and where it was found. */
export interface FoundColumn extends ColumnFacts {
  /** With its schema, as a config has it: `shop.orders.id`. */
  readonly found: string;
  /** Both quoted, the table with its schema. */
  readonly sql: { readonly table: string; readonly column: string };
  /**
   * What gives the column its numbers, if the database does, and the greatest number that it gave: also to
   * rows that are gone, or that are not committed yet.
   */
  readonly counter?: { readonly where: string; readonly upTo: bigint } | undefined;
  /**
   * Why the database refuses an INSERT that brings an ID for it: it is an identity that is always generated,
   * or computed from other columns.
   */
  readonly refuses?: 'identity' | 'expression' | undefined;
  /**
   * The sequences that number it and end before it does, as of a `serial` column that was widened. Their
   * names are quoted.
   */
  readonly narrow?: readonly { readonly sequence: string; readonly type: string }[] | undefined;
}

/** Reads columns of one kind of database. Of their data, reads only the greatest number. */
export type ReadColumn = (database: SqlExecutor, wanted: Wanted) => Promise<FoundColumn>;

/** The error for a column that cannot be read. */
export function unreadable({ name }: Pick<Wanted, 'name'>, why: string, cause?: unknown): IdError {
  return new IdError('ERR_IDS_CONFIG', `column ${name}: ${why}`, { cause });
}

/** The error for a table that does not exist, with tables that may be meant, likelier ones first. */
export function noTable(
  wanted: Wanted,
  where: string,
  tables: readonly { readonly schema: string | undefined; readonly table: string }[],
): IdError {
  const { schema, table, column } = wanted;
  const near = nearTo(table, new Set(tables.map((one) => one.table)));
  const meant = tables
    .filter((one) => near.includes(one.table))
    .map((one) => columnName([...(one.schema === undefined ? [] : [one.schema]), one.table, column]));
  const shown = columnName([...(schema === undefined ? [] : [schema]), table]);
  return unreadable(wanted, `there is no table ${shown}${where}${didYouMean(meant)}`);
}

/** The same for a column of a table that exists. */
export function noColumn(wanted: Wanted, table: readonly string[], columns: readonly string[]): IdError {
  const meant = nearTo(wanted.column, new Set(columns)).map((column) => columnName([...table, column]));
  return unreadable(wanted, `there is no such column in table ${columnName(table)}${didYouMean(meant)}`);
}

/** Those that differ in case only, or the one that may have been misspelt. */
function nearTo(name: string, known: ReadonlySet<string>): readonly string[] {
  const same = [...known].filter((one) => one.toLowerCase() === name.toLowerCase());
  const near = nearestName(name, [...known]);
  return same.length > 0 || near === undefined ? same : [near];
}

const SHOWN = 3;

function didYouMean(names: readonly string[]): string {
  return names.length === 0 ? '' : `; did you mean ${names.slice(0, SHOWN).join(' or ')}?`;
}
