import type { PlannedGenerator } from '@ids/core';

interface Planned extends Pick<PlannedGenerator, 'strategy' | 'store'> {
  readonly name: string;
  readonly options: Readonly<Record<string, unknown>>;
}

type Store = NonNullable<Planned['store']>;

/**
 * One line for each generator whose table is used for other rows by another generator. Compares the names as
 * written: that `ids` and `public.ids` are the same table is found in the database, by its columns.
 */
export function sharedTableProblems(generators: readonly Planned[]): string[] {
  return problemsBetween(
    generators,
    (own, other) => own.rows !== other.rows,
    (own, store, other) =>
      `generators.${own.name}: ${own.strategy} stores its ${store.rows} in table "${store.table}", which generators.${other.name} uses for its ${other.store?.rows}: set another "table" for one of them`,
  );
}

/**
 * One line for each generator that shares its row with another one, if one of the two issues ids by key. The
 * row of a family says where new keys start, and that of a sequence how far it is. After a change of the
 * reign, the keyed one would skip too few ids of the sequence.
 */
export function sharedFamilyProblems(generators: readonly Planned[]): string[] {
  return problemsBetween(
    generators,
    (own, other) => own.rows === other.rows && own.name === other.name && isKeyed(own) !== isKeyed(other),
    (own, store, other) => {
      const [keyed, plain] = isKeyed(store) ? [own, other] : [other, own];
      return `generators.${own.name}: row "${store.name}" of table "${store.table}" is also that of generators.${other.name}, but generators.${keyed.name} is "keyed" and generators.${plain.name} is not: set another "name" for one of them`;
    },
  );
}

function isKeyed({ byKey = false }: Store): boolean {
  return byKey;
}

/** A line of `problem` for each generator that clashes with an earlier one in the same table. */
function problemsBetween(
  generators: readonly Planned[],
  clash: (own: Store, other: Store) => boolean,
  problem: (own: Planned, store: Store, other: Planned) => string,
): string[] {
  return generators.flatMap((own, index) => {
    const { store } = own;
    if (store === undefined) return [];
    const other = generators.slice(0, index).find((earlier) => {
      const same =
        earlier.store?.table === store.table &&
        placeOf(earlier.options.database) === placeOf(own.options.database);
      return same && earlier.store !== undefined && clash(store, earlier.store);
    });
    return other === undefined ? [] : [problem(own, store, other)];
  });
}

/** The pool, or the server and database of a URL; roles and parameters make no difference. */
export function placeOf(database: unknown): unknown {
  if (typeof database !== 'string' || !URL.canParse(database)) return database;
  const { host, pathname } = new URL(database);
  return `${host}${pathname}`;
}
