import type { PlannedGenerator } from '@ids/core';

interface Planned extends Pick<PlannedGenerator, 'strategy' | 'table'> {
  readonly name: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * A line for each generator that uses a table in which another one keeps something else. Names are compared
 * as they are written: that `ids` and `public.ids` are one table is found in the database, by its columns.
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
      `generators.${name}: ${strategy} keeps its ${table.rows} in table "${table.name}", where generators.${other.name} keeps its ${other.table.rows}: give one of them another "table"`,
    ];
  });
}

/** A pool, or the server and the database of a URL: roles and parameters do not make it another place. */
function placeOf({ options: { database } }: Planned): unknown {
  if (typeof database !== 'string' || !URL.canParse(database)) return database;
  const { host, pathname } = new URL(database);
  return `${host}${pathname}`;
}
