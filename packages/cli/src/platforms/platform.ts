/**
 * Whether the guards of the strategies work on a platform. `tested`: our integration tests ran on it.
 * `documented`: its documentation says what the guards need, and nobody ran the tests. `refused`: they do not
 * work, or not always. `unknown`: its documentation does not say.
 */
export type PlatformStatus = 'tested' | 'documented' | 'refused' | 'unknown';

/** Something that a server says of itself. */
export interface Sign {
  /** A field of INFO; of a database `version()` or `settings`, as `FACTS` in sql-platforms.ts reads them. */
  readonly fact: string;
  /** How its value begins; without it and `contains`, any value will do. */
  readonly starts?: string;
  readonly contains?: string;
}

/** A server or service that a generator may be pointed at. */
export interface Platform {
  readonly name: string;
  readonly status: PlatformStatus;
  /** What ran, what its documentation says, why it is refused, or what is not known. Not a sentence. */
  readonly why: string;
  /** The page that says so. Required unless `tested`. */
  readonly source?: string;
  /** What to use in its place. Required if `refused`. */
  readonly instead?: string;
  /** Recognised by all of these. Empty where the server does not say what it is. */
  readonly signs: readonly Sign[];
  /** What `ids doctor` takes it for, if it has no signs. */
  readonly looksLike?: string;
}

/** What a server states, by its field. */
export type Facts = Readonly<Record<string, unknown>>;

/** The first platform of a table whose signs are all there, hence special ones stand before general ones. */
export function recognise(platforms: readonly Platform[], facts: Facts): Platform | undefined {
  return platforms.find(({ signs }) => signs.length > 0 && signs.every((sign) => shows(facts, sign)));
}

function shows(facts: Facts, { fact, starts = '', contains = '' }: Sign): boolean {
  const value = facts[fact];
  return typeof value === 'string' && value.startsWith(starts) && value.includes(contains);
}
