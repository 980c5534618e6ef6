import type { Row } from '../executor.js';
import type { ReignChange } from '../reign-change.js';

/*
 * As `../mysql/reign.ts`. What stands in the row is the `id` of the database in which the last reservation
 * was made: see `SqliteHome`. A file with another one was restored or copied.
 *
 * A row that has none is one from which nothing was reserved: a migration does not know the file. The first
 * reservation stores it, and skips nothing. Between the two, a restore shows nothing.
 */

/** What the trigger of INSERT writes instead into a row that came with one. */
const INSERTED = 'inserted';

/** The name of a new reign, in SQL: 32 random bits, so that two databases never share one. */
export const NEW_REIGN = `('sqlite-' || lower(hex(randomblob(4))))`;

const REIGNS_LENGTH = 255;

/** The names of the reigns in a row with a new one in front, in SQL. */
export const WITH_NEW_REIGN = `substr(${NEW_REIGN} || ',' || reigns, 1, ${REIGNS_LENGTH})`;

/** In SQL, for the columns of a table: what `changeIn` compares. */
export const REIGN_COLUMNS: Readonly<Record<'reign_server' | 'reigns', string>> = {
  reign_server: 'text',
  reigns: `text NOT NULL DEFAULT ${NEW_REIGN}`,
};

/**
 * The statement of the trigger of INSERT: marks a row that came with a reign. `key`: the columns of the
 * primary key.
 */
export function insertedReign(quoted: string, ...key: readonly string[]): string {
  const isRow = key.map((column) => `${column} = NEW.${column}`).join(' AND ');
  return `UPDATE ${quoted} SET reign_server = '${INSERTED}' WHERE ${isRow} AND reign_server IS NOT NULL`;
}

/** What the next reservation would detect in a row that was read, in the database `home`. */
export function sqliteChangeIn({ reign_server: stored }: Row, home: string): ReignChange | undefined {
  return stored === null || stored === undefined || stored === home ? undefined : 'restore';
}
