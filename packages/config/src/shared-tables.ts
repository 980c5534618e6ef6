import type { PlannedGenerator } from '@ids/core';

interface Planned extends Pick<PlannedGenerator, 'strategy' | 'table'> {
  readonly name: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * One line for each generator whose table is used for other rows by another generator. Compares the names as
 * written: that `ids` and `public.ids` are the same table is found in the database, by its columns.
 */
export function sharedTableProblems(generators: readonly Planned[]): string[] {
  return generators.flatMap((generator, index) => {
    const { name, strategy, table } = generator;
    if (table === undefined) return [];
    const other = generators.slice(0, index).find((earlier) => {
      const same = earlier.table?.name === table.name && earlier.table.rows !== table.rows;
      return same && placeOf(earlier) === placeOf(generator);
    });
    if (other?.table === undefined) return [];
    return [
      `generators.${name}: ${strategy} stores its ${table.rows} in table "${table.name}", which generators.${other.name} uses for its ${other.table.rows}: set another "table" for one of them`,
    ];
  });
}

/** The pool, or the server and database of a URL; roles and parameters make no difference. */
function placeOf({ options: { database } }: Planned): unknown {
  if (typeof database !== 'string' || !URL.canParse(database)) return database;
  const { host, pathname } = new URL(database);
  return `${host}${pathname}`;
}
