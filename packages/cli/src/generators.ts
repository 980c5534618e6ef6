import {
  type ConfiguredGenerator,
  type IdsConfig,
  planGenerators,
  type ReadConfig,
  readConfig,
} from '@ids/config';
import { IdError, type IdStrategy } from '@ids/core';
import type { SequenceGroup } from '@ids/segment';
import {
  type AfterReignChange,
  DEFAULT_SKIP,
  DEFAULT_TABLE,
  type DialectName,
  type NewReignOptions,
  openDatabase as open,
  type PgPoolLike,
  type SqlExecutor,
} from '@ids/segment/sql';
import { DEFAULT_KEY_PREFIX, hashKey } from '@ids/segment-redis-db';
import {
  defaultLayout,
  type Layout,
  type LayoutName,
  layoutOf,
  type SnowflakeTypeName,
} from '@ids/snowflake';
import { DEFAULT_SLOT_TABLE } from '@ids/snowflake/sql';
import type { CommandContext, SequencePlace } from './command.js';
import type { RedisHash } from './redis.js';

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
export function withPlaceholders(
  read: ReadConfig,
  backends: readonly (keyof typeof PLACEHOLDERS)[],
): ReadConfig {
  const { config } = read;
  const lacking = backends.filter((backend) => (config as Partial<IdsConfig>)[backend] === undefined);
  const placeholders = Object.fromEntries(lacking.map((backend) => [backend, PLACEHOLDERS[backend]]));
  return { ...read, config: { ...config, ...placeholders } };
}

/** Where the sequence of a generator is; undefined for a generator that takes its ids from none. */
export function sequenceOf(generator: ConfiguredGenerator): SequencePlace | undefined {
  return kindOf(generator) === 'segments' ? placeOf(generator) : undefined;
}

/** The layout of ids of slots, with or without a database; undefined for other strategies. */
export function layoutOfIds(generator: ConfiguredGenerator): Layout | undefined {
  if (kindOf(generator) !== 'slots') return undefined;
  const { layout, epoch } = slotsOf(generator);
  return layoutOf(layout, epoch);
}

/** What the rows of a generator's table are: sequences, or slots of `@ids/snowflake`. */
function kindOf({ strategy }: ConfiguredGenerator): NeededTable['kind'] {
  return strategy === 'snowflake' ? 'slots' : 'segments';
}

/** Where the sequence or the slots of a generator are; undefined for one that needs no table. */
export function placeOf(generator: ConfiguredGenerator): SequencePlace | undefined {
  const { database, table, name, worker } = generator.options;
  if (database === undefined || typeof name !== 'string' || worker !== undefined) return undefined;
  const at = { database, table: typeof table === 'string' ? table : undefined, name };
  return { ...at, layout: layoutOfIds(generator) };
}

/** Connects to a database of the config; `close` closes only what was opened here. */
export async function openDatabase(database: unknown): Promise<SqlExecutor> {
  if (database === undefined) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      'there is no database: set "database" in the config, or IDS_DATABASE_URL',
    );
  }
  return open(database as PgPoolLike | string, { max: 1 });
}

/** The dialect of a URL, for SQL that is written without a connection. */
export function dialectOfUrl(database: unknown): DialectName {
  return typeof database === 'string' && /^(mysql|mariadb):/.test(database) ? 'mysql' : 'postgres';
}

interface SlotLayout {
  readonly layout: LayoutName;
  readonly epoch: number | undefined;
}

/** A column that may already hold ids of a generator. */
export interface IdColumn {
  /** `orders.id` */
  readonly name: string;
  /** Through which it is read. */
  readonly database: unknown;
  /** Of `encode`; undefined for plain decimal digits. */
  readonly codec: ConfiguredGenerator['codec'];
}

/** A sequence from which a generator of the config takes its ids. */
export interface NeededSequence {
  readonly name: string;
  /** The generators that take from it. */
  readonly generators: readonly string[];
  readonly group: SequenceGroup | undefined;
  /** One of each generator that takes from it. */
  readonly columns: readonly IdColumn[];
  /** One of each generator that issues them from Redis. */
  readonly hashes: readonly RedisHash[];
  /** The layout of slots. */
  readonly slots: SlotLayout;
}

/** A table, with the sequences or the slots that generators of the config need in it. */
export interface NeededTable {
  readonly kind: 'segments' | 'slots';
  /** A URL, or a pool of `pg` or `mysql2`. */
  readonly database: unknown;
  readonly table: string;
  /** Whether a generator writes the grant log. */
  readonly log: boolean;
  /** The most careful of the generators' options. */
  readonly reign: { readonly afterFailover: AfterReignChange; readonly afterRestore: AfterReignChange };
  readonly sequences: readonly NeededSequence[];
  /** The names of the generators that need it. */
  readonly generators: readonly string[];
}

/** The tables that the generators need, each table and each sequence once. */
export function neededTables(generators: Iterable<ConfiguredGenerator>): NeededTable[] {
  const tables: NeededTable[] = [];
  for (const generator of generators) {
    const place = placeOf(generator);
    if (place === undefined) continue;
    const kind = kindOf(generator);
    const { database, name, table = kind === 'slots' ? DEFAULT_SLOT_TABLE : DEFAULT_TABLE } = place;
    const { log, group, afterFailover, afterRestore } = generator.options as NewReignOptions & {
      readonly log?: boolean;
      readonly group?: SequenceGroup;
    };
    const index = tables.findIndex((known) => known.database === database && known.table === table);
    const known = tables[index];
    const others = known?.sequences.filter((sequence) => sequence.name !== name) ?? [];
    const same = known?.sequences.find((sequence) => sequence.name === name);
    const columns = [...(same?.columns ?? []), ...columnOf(generator)];
    const takers = [...(same?.generators ?? []), generator.name];
    const hashes = [...(same?.hashes ?? []), ...hashOf(generator)];
    const needed: NeededTable = {
      kind,
      database,
      table,
      log: known?.log === true || log === true,
      reign: {
        afterFailover: moreCareful(known?.reign.afterFailover, afterFailover),
        afterRestore: moreCareful(known?.reign.afterRestore, afterRestore),
      },
      sequences: [
        ...others,
        { name, generators: takers, group: same?.group ?? group, columns, hashes, slots: slotsOf(generator) },
      ],
      generators: [...(known?.generators ?? []), generator.name],
    };
    tables.splice(index < 0 ? tables.length : index, 1, needed);
  }
  return tables.map((needed) => withTwins(needed, tables));
}

/** Of numbers of ids to skip, the greater one; `refuse` before any. */
function moreCareful(known: AfterReignChange = 0, own: AfterReignChange = DEFAULT_SKIP): AfterReignChange {
  return known === 'refuse' || own === 'refuse' ? 'refuse' : Math.max(known, own);
}

/** What one generator needs, with the columns and the hashes of all that take from its sequence. */
export function neededBy(
  generator: ConfiguredGenerator,
  all: readonly ConfiguredGenerator[],
): NeededTable | undefined {
  const [own] = neededTables([generator]);
  if (own === undefined) return undefined;
  const whole = neededTables(all).find(({ generators }) => generators.includes(generator.name));
  const sequences = own.sequences.map(
    (sequence) => whole?.sequences.find(({ name }) => name === sequence.name) ?? sequence,
  );
  return { ...own, sequences };
}

function columnOf({ column, codec, options: { database } }: ConfiguredGenerator): IdColumn[] {
  return column === undefined ? [] : [{ name: column, database, codec }];
}

function hashOf({ options: { redis, keyPrefix, name } }: ConfiguredGenerator): RedisHash[] {
  if (redis === undefined || redis === PLACEHOLDERS.redis) return [];
  const prefix = typeof keyPrefix === 'string' ? keyPrefix : DEFAULT_KEY_PREFIX;
  return [{ redis, key: hashKey(prefix, String(name)) }];
}

/** The table with the columns and hashes of all tables that may be the same one. */
function withTwins(needed: NeededTable, tables: readonly NeededTable[]): NeededTable {
  const twins = tables.filter((other) => other !== needed && mayBeOne(other, needed));
  const sequences = needed.sequences.map((sequence) => {
    const same = twins.flatMap((twin) => twin.sequences.filter(({ name }) => name === sequence.name));
    const all = [sequence, ...same];
    const columns = all.flatMap((one) => one.columns);
    return { ...sequence, columns, hashes: all.flatMap(({ hashes }) => hashes) };
  });
  return { ...needed, sequences };
}

/**
 * Two URLs may lead to one database: with another role, another parameter, or another name of the server. If
 * these are two after all, a sequence starts higher than it has to, which is a gap and harms nobody.
 */
function mayBeOne(one: NeededTable, other: NeededTable): boolean {
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

/** The layout that the slots of a generator must have. */
function slotsOf({ options }: ConfiguredGenerator): SlotLayout {
  const { as, layout, epoch } = options as {
    readonly as?: SnowflakeTypeName;
    readonly layout?: LayoutName;
    readonly epoch?: number;
  };
  return { layout: layout ?? defaultLayout(as), epoch };
}
