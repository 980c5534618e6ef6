import {
  type ConfiguredGenerator,
  type IdsConfig,
  planGenerators,
  type ReadConfig,
  readConfig,
} from '@ids/config';
import { IdError, type IdStrategy, type StrategyStore } from '@ids/core';
import type { DialectName, SqlExecutor, SqlResult } from '@ids/store';
import { openDatabase as open } from '@ids/store/open';
import type { PgPoolLike } from '@ids/store/postgres';
import type { CommandContext } from '../terminal/command.js';
import type { RedisHash } from './redis.js';
import { ANSWER_MS, within } from './within.js';

/** Reads the config, and warns on standard error of probable mistakes in it. */
export async function readAndWarn({ cwd, environment, stderr }: CommandContext): Promise<ReadConfig> {
  const read = await readConfig({ cwd, environment });
  for (const { about, message } of read.warnings) stderr.write(`ids: warning: ${about} ${message}\n`);
  return read;
}

/** Validates the generators of a config file; returns them by name. */
export function planAll(
  { config, problems }: Pick<ReadConfig, 'config' | 'problems'>,
  strategies: readonly IdStrategy[],
): Map<string, ConfiguredGenerator> {
  return planGenerators(strategies, config, { problems, fromEnvironment: true });
}

/** The placeholder of a database that is not queried. */
export const NO_DATABASE = 'postgres://no-database.invalid/none';

const PLACEHOLDERS = { redis: 'redis://no-redis.invalid', database: NO_DATABASE };

/**
 * The same config with a placeholder for each of `backends` that it lacks: a command that does not use a
 * backend must not require its URL.
 */
export function withPlaceholders<Read extends Pick<ReadConfig, 'config'>>(
  read: Read,
  backends: readonly (keyof typeof PLACEHOLDERS)[],
): Read {
  const { config } = read;
  const lacking = backends.filter((backend) => (config as Partial<IdsConfig>)[backend] === undefined);
  const placeholders = Object.fromEntries(lacking.map((backend) => [backend, PLACEHOLDERS[backend]]));
  return { ...read, config: { ...config, ...placeholders } };
}

/** Connects to a database of the config, until the end of the scope; closes only what was opened here. */
export async function openDatabase(database: unknown): Promise<SqlExecutor & AsyncDisposable> {
  if (database === undefined) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      'there is no database: set "database" in the config, or IDS_DATABASE_URL',
    );
  }
  const executor = await open(database as PgPoolLike | string, { max: 1 });
  return Object.assign(executor, { [Symbol.asyncDispose]: () => executor.close() });
}

/** The same for statements that read or raise a row: see `bounded`. */
export async function openBounded(database: unknown): Promise<SqlExecutor & AsyncDisposable> {
  return bounded(await openDatabase(database));
}

/**
 * Rejects with `ERR_IDS_TIMEOUT` after ten seconds, since somebody may have locked a table for hours. What
 * came too late may be done nevertheless, so what raises must be safe to repeat.
 */
export function bounded<Executor extends SqlExecutor>(executor: Executor): Executor {
  // One of SQLite also gets the file in which the statement may run.
  type Execute = (...call: [...Parameters<SqlExecutor['execute']>, home?: string]) => Promise<SqlResult>;
  const execute: Execute = (text, values, signal, home) => {
    const run = (late: AbortSignal) => {
      const ended = signal === undefined ? late : AbortSignal.any([signal, late]);
      return (executor.execute as Execute)(text, values, ended, home);
    };
    return within('the database', ANSWER_MS, run, '; somebody may have locked a table');
  };
  return { ...executor, execute };
}

/** The dialect of a URL, for SQL that is written without a connection. */
export function dialectOfUrl(database: unknown): DialectName {
  if (typeof database !== 'string') return 'postgres';
  if (/^(sqlite|libsql):/.test(database)) return 'sqlite';
  return /^(mysql|mariadb):/.test(database) ? 'mysql' : 'postgres';
}

/** A column that may already hold ids of a generator. */
export interface IdColumn {
  /** `orders.id` */
  readonly name: string;
  /** Through which it is read. */
  readonly database: unknown;
  /** Of `encode`; undefined for plain decimal digits. */
  readonly codec: ConfiguredGenerator['codec'];
  /** The generators of other sequences that the config has for this column, as while a swap lasts. */
  readonly others: readonly string[];
  /** What those of them keep that count as well, by themselves. */
  readonly rivals: readonly StrategyStore[];
}

/** What generators of the config keep in a table under one name: a sequence, or the slots of a name. */
export interface NeededEntry {
  readonly name: string;
  /** With what all of its generators need. */
  readonly store: StrategyStore;
  /** The generators that use it. */
  readonly generators: readonly string[];
  /** One of each generator that uses it. */
  readonly columns: readonly IdColumn[];
  /** One of each generator that issues its ids from Redis. */
  readonly hashes: readonly RedisHash[];
}

/** A table, with the entries that generators of the config need in it. */
export interface NeededTable {
  /** A URL, or a pool of `pg` or `mysql2`. */
  readonly database: unknown;
  readonly table: string;
  /** With what all generators of the table need. */
  readonly store: StrategyStore;
  readonly entries: readonly NeededEntry[];
  /** The names of the generators that need it. */
  readonly generators: readonly string[];
}

/** The tables that the generators need, each table and each entry once. */
export function neededTables(generators: readonly ConfiguredGenerator[]): NeededTable[] {
  const tables: NeededTable[] = [];
  for (const generator of generators) {
    const { store } = generator;
    if (store === undefined) continue;
    const { database, table, name } = store;
    const index = tables.findIndex((known) => known.database === database && known.table === table);
    const known = tables[index];
    const others = known?.entries.filter((entry) => entry.name !== name) ?? [];
    const same = known?.entries.find((entry) => entry.name === name);
    const entry: NeededEntry = {
      name,
      store: shared(same?.store, store),
      generators: [...(same?.generators ?? []), generator.name],
      columns: [...(same?.columns ?? []), ...columnOf(generator, generators)],
      hashes: [...(same?.hashes ?? []), ...hashOf(store)],
    };
    const needed: NeededTable = {
      database,
      table,
      store: shared(known?.store, store),
      entries: [...others, entry],
      generators: [...(known?.generators ?? []), generator.name],
    };
    tables.splice(index < 0 ? tables.length : index, 1, needed);
  }
  return tables.map((needed) => withTwins(needed, tables));
}

function shared(known: StrategyStore | undefined, own: StrategyStore): StrategyStore {
  if (known === undefined) return own;
  // A table with keys has more parts than one without: whoever knows of them is asked.
  const [more, less] = own.byKey === true && known.byKey !== true ? [own, known] : [known, own];
  return more.sharedWith?.(less) ?? more;
}

/** What one generator needs, with the columns and the hashes of all that take from its sequence. */
export function neededBy(
  generator: ConfiguredGenerator,
  all: readonly ConfiguredGenerator[],
): NeededTable | undefined {
  const { name, store } = generator;
  const whole = neededTables(all).find(({ generators }) => generators.includes(name));
  if (store === undefined || whole === undefined) return undefined;
  const own = whole.entries.filter((entry) => entry.name === store.name);
  return { ...whole, store, generators: [name], entries: own.map((entry) => ({ ...entry, store })) };
}

function columnOf(
  { column, codec, store, options: { database } }: ConfiguredGenerator,
  all: readonly ConfiguredGenerator[],
): IdColumn[] {
  if (column === undefined) return [];
  const others = all.filter(
    (other) =>
      other.column === column &&
      // One without a table has no database.
      (other.options.database ?? database) === database &&
      !isOneSequence(store, other.store),
  );
  // Encoded, the same numbers may be different ids.
  const plain = others.filter((other) => codec === undefined && other.codec === undefined);
  const stores = plain.flatMap((other) => other.store ?? []);
  const rivals = stores.filter(({ position, byKey }) => position !== undefined && byKey !== true);
  return [{ name: column, database, codec, others: others.map(({ name }) => name), rivals }];
}

function isOneSequence(one: StrategyStore | undefined, other: StrategyStore | undefined): boolean {
  if (one === undefined || other === undefined || one.name !== other.name) return false;
  return (one.database === other.database && one.table === other.table) || mayBeOne(one, other);
}

/** Whether the config names no Redis, so that there is none to ask. */
export function isPlaceholder({ redis }: RedisHash): boolean {
  return redis === PLACEHOLDERS.redis;
}

function hashOf({ hash }: StrategyStore): RedisHash[] {
  return hash === undefined || isPlaceholder(hash) ? [] : [hash];
}

/** The table with the columns and hashes of all tables that may be the same one. */
function withTwins(needed: NeededTable, tables: readonly NeededTable[]): NeededTable {
  const twins = tables.filter((other) => other !== needed && mayBeOne(other, needed));
  const entries = needed.entries.map((entry) => {
    const same = twins.flatMap((twin) => twin.entries.filter(({ name }) => name === entry.name));
    const all = [entry, ...same];
    const columns = all.flatMap((one) => one.columns);
    return { ...entry, columns, hashes: all.flatMap(({ hashes }) => hashes) };
  });
  return { ...needed, entries };
}

type TableAt = Pick<NeededTable, 'database' | 'table'>;

/**
 * Two URLs may lead to one database: with another role, another parameter, or another name of the server. If
 * these are two after all, a sequence starts higher than it has to, which is a gap and harms nobody.
 */
function mayBeOne(one: TableAt, other: TableAt): boolean {
  const [name, otherName] = [databaseName(one.database), databaseName(other.database)];
  return name !== undefined && name === otherName && bareName(one.table) === bareName(other.table);
}

function databaseName(database: unknown): string | undefined {
  return typeof database === 'string' && URL.canParse(database) ? new URL(database).pathname : undefined;
}

/** Without its schema, which may be the one that a connection looks in first. */
function bareName(table: string): string | undefined {
  return table.split('.').at(-1);
}
