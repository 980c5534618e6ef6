import type { IdPart } from './id-part.js';

/**
 * A part of a table that can be missing: the table, the guards of one of an older version, its grant log; and
 * the same of the table with its keys.
 */
export type StorePart = 'table' | 'guards' | 'log' | 'keys' | 'key-guards' | 'key-log';

/** What may have taken the last reservations from a table. */
export type StoreChange = 'failover' | 'restore';

/** For functions that return SQL: of which dialect. */
export interface StoreSqlOptions {
  /** Default: `postgres`. MariaDB understands that of `mysql`. */
  readonly dialect?: 'postgres' | 'mysql' | 'sqlite' | undefined;
}

export interface StoreStart {
  /** The first id is the one after this; default 0. Only for a store with a `position`. */
  readonly startAfter?: bigint | undefined;
}

/** Who may write a table besides the services that take ids from it. */
export interface StoreWriters {
  readonly table: string;
  /** Their roles, quoted for SQL where that is needed; `PUBLIC` is everybody. */
  readonly roles: readonly string[];
  /** The statement that takes the rights to write from them; undefined if they hold more than this table. */
  readonly revoke?: string | undefined;
  /** What they may write, if it is more than this table, for people: `shop.*`. */
  readonly on?: string | undefined;
}

/** What a role lacks to let a service issue ids. */
export interface StoreRights {
  readonly role: string;
  /** The rights without which nothing can be reserved. */
  readonly needed: readonly string[];
  /** The rights without which restores and promotions are not detected. */
  readonly forGuard: readonly string[];
  /** The statements that grant everything a service needs. */
  readonly grants: string;
  /** Who else may write, one entry for each table; undefined where the server does not say. */
  readonly writers?: readonly StoreWriters[] | undefined;
  /** Whether the role cannot see what others may do: `writers` are those that it sees. False by default. */
  readonly hidesWriters?: boolean | undefined;
}

/** What a table says about the entry of a generator. */
export interface StoreState {
  /** The greatest id that may have been issued. */
  readonly reserved: bigint;
  /** Where the entry stands, for people: `reserved up to 300`. */
  readonly summary: string;
  /** What somebody should do something about soon, for people; undefined if there is nothing. */
  readonly concern?: string | undefined;
  /** Why ids are used up, or time is taken, and what to do, for people; undefined if they are not. */
  readonly usedUp?: string | undefined;
  /** Failures that the store would not survive, or would not notice. */
  readonly warnings: readonly string[];
  /** Identifies the entry, as opposed to one of the same name elsewhere. */
  readonly realm?: string | undefined;
  /** What the next reservation still skips ids for, or is refused for. */
  readonly pending?: StoreChange | undefined;
  /** Whether the next reservation is refused for `pending`, until `raise` is called with `checked`. */
  readonly refused?: boolean | undefined;
  /** The most ids that a failover or restore skips, by its rate. Absent: as in `StorePosition.skips`. */
  readonly leap?: bigint | undefined;
  /** Of a family that counts anew in each day, say: where new keys start now. Otherwise at `reserved`. */
  readonly startAfter?: bigint | undefined;
  /** The clock of the database, in milliseconds since 1970. */
  readonly now?: number | undefined;
}

/** How far a store is whose ids count up. */
export interface StorePosition<Connection = unknown> {
  /** The greatest id that it can issue. */
  readonly last: bigint;
  /** The most ids that the next reservation skips after each change, or `refuse` if it is refused. */
  readonly skips: Readonly<Record<StoreChange, number | 'refuse'>>;
  /** The function of its package that creates the entry: `createSequence of @ids/segment/sql`. */
  readonly createdBy: string;
  /** The last id that was reserved, without any check of the server; undefined if there is no entry. */
  standsAt(connection: Connection): Promise<bigint | undefined>;
  /** The greatest id in the grant log; 0 without a log. */
  logged?(connection: Connection): Promise<bigint>;
  /**
   * Raises the entry so that every later id is above `floor`, and never lowers it. `checked`: no id above
   * the floor was ever issued, so nothing more is skipped or refused, also by those who have heard of the
   * reigns that this one `follows`. Resolves with the last reserved id.
   */
  raise(
    connection: Connection,
    floor: bigint,
    options?: { readonly checked?: boolean; readonly follows?: readonly string[] },
  ): Promise<bigint>;
  /**
   * Why a generator uses nothing of this server once it has heard of these reigns, for people; undefined if
   * it does. Changes nothing.
   */
  refusalOf?(connection: Connection, heard: readonly string[]): Promise<string | undefined>;
}

/** Where one key of a family stands. */
export interface StoreKeyState {
  /** The greatest id that may have been issued; undefined for a new key. */
  readonly reserved: bigint | undefined;
  /** The next reservation starts above it, what it skips included; undefined if it is refused. */
  readonly nextAbove: bigint | undefined;
  /** Where new keys start. */
  readonly startAfter: bigint;
  /** What the next reservation skips ids for, or is refused for. */
  readonly pending: StoreChange | undefined;
  /** The same for the family: no key gets ids before it. */
  readonly familyPending: StoreChange | undefined;
  /** Whether it is refused because another primary has followed this one. */
  readonly superseded: boolean;
  /** Who makes all others wait for this key, for people. */
  readonly lockedBy: string | undefined;
}

/** The keys of a family, one at a time. */
export interface StoreKeys<Connection = unknown> {
  /** Changes nothing. */
  describe(connection: Connection, key: string): Promise<StoreKeyState>;
  /**
   * How many keys are used up and what to do, for people; undefined if none is. Reads all keys of the family,
   * and changes nothing.
   */
  usedUp?(connection: Connection): Promise<string | undefined>;
  /**
   * The string in Redis from which ids of a key are issued, and its client or URL; absent if there is none.
   * It contains `mark`, the greatest id that is known there to be reserved.
   */
  record?(key: string): NonNullable<StrategyStore['hash']>;
  /**
   * What that string contains, for people, with its name: which ids are left, say. Also tells if there is
   * none. Changes nothing, and closes what it opens. Absent without `record`.
   */
  inspectRecord?(key: string): Promise<readonly IdPart[]>;
  /** The greatest id of the key in the grant log; 0 without a log. */
  logged(connection: Connection, key: string): Promise<bigint>;
  /**
   * Raises a key so that every later id is above `floor`, from 1, and never lowers it; makes it if it is new.
   * `checked` as in `StorePosition`, for this key alone. Resolves with where it stands then.
   */
  raise(
    connection: Connection,
    key: string,
    floor: bigint,
    options?: { readonly checked?: boolean },
  ): Promise<bigint>;
  /** As `StrategyStore.whoIssued`. */
  whoIssued(connection: Connection, key: string, id: string): Promise<readonly IdPart[]>;
}

/** A procedure of a database, by which other languages reserve ids. */
export interface StoreProcedure<Connection = unknown> {
  readonly name: string;
  readonly sql: string;
  /** Whether it is missing, or not as the generators reserve. */
  missing(connection: Connection): Promise<boolean>;
  ensure(connection: Connection): Promise<void>;
}

/**
 * The table of a generator, for tools that create it, check it and read it: `ids apply`, `doctor`, `floor`,
 * `swap`, `inspect` and `init`. A generator needs none of this to issue ids.
 *
 * `Connection` is what the tool opened to `database`, one for everything in it, and closes again: for
 * Postgres, MySQL and MariaDB a `SqlExecutor` of `@ids/store`.
 */
export interface StrategyStore<Connection = unknown> {
  /** Where the table is: a URL, or a pool, as in the options. */
  readonly database: unknown;
  /** The name from the options, or the default: `id_segment`, `shop.id_segment`. */
  readonly table: string;
  /** What its rows are, in the plural: `sequences`. One table cannot hold rows of two kinds. */
  readonly rows: string;
  /** The name of the rows that belong to the generator, which several generators may share. */
  readonly name: string;
  /** These rows, for people: `sequence order`, `slots order`. */
  readonly entry: string;
  /** What is fixed when the entry is created, for people: `layout 41+10+12`. */
  readonly shape?: string | undefined;
  /** The parts that the table has once it is complete. */
  readonly parts: readonly StorePart[];
  /**
   * Whether the entry is a family of sequences by key: `position` is then where new keys start, and each key
   * counts by itself.
   */
  readonly byKey?: boolean | undefined;
  /** With `byKey`. */
  readonly keys?: StoreKeys<Connection> | undefined;
  /** For ids that count up. */
  readonly position?: StorePosition<Connection> | undefined;
  /** Created only on request; absent if there is none. */
  procedure?(): StoreProcedure<Connection>;
  /** A Redis hash from which the ids are issued, and its client or URL. */
  readonly hash?: { readonly redis: unknown; readonly key: string } | undefined;
  /** The same store with what `other`, a store of the same table, needs in addition: its grant log, say. */
  sharedWith?(other: StrategyStore<Connection>): StrategyStore<Connection>;
  /** The DDL of the table, for a migration; safe to run again. */
  schema(options?: StoreSqlOptions): string;
  /** The parts that `ensure` would create. Changes nothing. Rejects for a table of another shape. */
  missing(connection: Connection): Promise<readonly StorePart[]>;
  /** Creates the missing parts. Rejects for a table of another shape, which stays as it is. */
  ensure(connection: Connection): Promise<void>;
  /** The least rights of a service's role, as SQL for a migration. */
  grants(role: string, options?: StoreSqlOptions): string;
  /** The rights that the role of the connection lacks; none if there is no such table. */
  lackingRights(connection: Connection): Promise<StoreRights>;
  /** Whether the entry exists, in a table that does. */
  exists(connection: Connection): Promise<boolean>;
  /** What `create` does, as SQL for a migration; safe to run again. */
  createSql(options?: StoreStart & StoreSqlOptions): string;
  /** Creates the entry, unless it exists. Resolves with false if it did. */
  create(connection: Connection, options?: StoreStart): Promise<boolean>;
  /** Rejects if the entry is there and no generator with these options can ever use it. */
  assertUsable?(connection: Connection): Promise<void>;
  /** Reads the entry, and what the server may do to it. Changes nothing. Rejects if no id can be reserved. */
  describe(connection: Connection): Promise<StoreState>;
  /**
   * Who reserved an id, in decimal digits, and when, for people. Rejects with `ERR_IDS_CONFIG` if nothing
   * records it.
   */
  whoIssued?(connection: Connection, id: string): Promise<readonly IdPart[]>;
}

/** How the ids of a generator depend on the time. */
export interface TimedIds {
  /** The lowest id of a time, in milliseconds since 1970: ids of earlier times are below it. */
  lowestAt(timeMs: number): bigint;
  /** Of which bits ids are made. Two generators of one layout that differ in their worker share no id. */
  readonly layout: string;
  /** A worker that the options name, instead of one from a store. */
  readonly worker?: { readonly number: number; readonly aheadMs: number } | undefined;
}
