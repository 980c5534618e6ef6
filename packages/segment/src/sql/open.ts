import { IdError, type StrategyTable } from '@ids/core';
import { shownValue } from '@ids/core/strategy';
import * as v from 'valibot';
import { fromMysql, fromMysqlUrl, isMysqlPool, isMysqlUrl, type MysqlPoolLike } from '../mysql/pool.js';
import {
  type ParsedSequenceOptions,
  type SequenceOptions,
  sequenceOptions,
  stepProblem,
} from '../options.js';
import {
  assertDatabaseUrl,
  DATABASE_URL_RULE,
  describeBadUrl,
  fromPg,
  fromPgUrl,
  isDatabaseUrl,
  isPgPool,
  type PgPoolLike,
} from '../postgres/pool.js';
import type { SegmentSource } from '../segment-source.js';
import type { SqlExecutor } from '../store/executor.js';
import { isOwner, type LogOptions, OWNER_RULE } from '../store/grant-log.js';
import {
  AFTER_RULE,
  type AfterReignChange,
  isAfterReignChange,
  type NewReignOptions,
} from '../store/reign-change.js';
import {
  DEFAULT_TABLE,
  isTableName,
  quotedTable,
  TABLE_NAME_RULE,
  type TableOptions,
} from '../store/table-name.js';
import { SqlSegmentSource } from './any-dialect.js';

export interface SqlSourceOptions extends TableOptions, LogOptions, NewReignOptions {
  /**
   * A pool of `pg` or `mysql2`, which the caller closes, or a `postgres://`, `mysql://` or `mariadb://` URL,
   * for which a pool is opened and closed here.
   */
  readonly database: PgPoolLike | MysqlPoolLike | string;
}

/**
 * A segment source over a database. Its `close` closes what was opened here. It connects when it is first
 * used.
 */
export async function openSqlSource({ database, ...options }: SqlSourceOptions): Promise<SqlSegmentSource> {
  quotedTable(options.table ?? DEFAULT_TABLE);
  return new SqlSegmentSource(await openDatabase(database), { ...options, closeExecutor: true });
}

/**
 * An executor for a pool of `pg` or `mysql2`, whose `close` leaves it open, or for a URL, whose `close`
 * closes what it opened: at most `max` connections, 2 by default.
 */
export async function openDatabase(
  database: PgPoolLike | MysqlPoolLike | string,
  options: { readonly max?: number } = {},
): Promise<SqlExecutor> {
  if (isMysqlUrl(database)) return fromMysqlUrl(database, options);
  if (isMysqlPool(database)) return fromMysql(database);
  if (typeof database !== 'string') return fromPg(database as PgPoolLike);
  assertDatabaseUrl(database, ANY_URL_RULE);
  return fromPgUrl(database, options);
}

/**
 * An executor for a pool of `pg`, whose `close` leaves it open, or for a URL, whose `close` closes what it
 * opened.
 */
export async function openExecutor(database: PgPoolLike | string): Promise<SqlExecutor> {
  if (typeof database !== 'string') return fromPg(database);
  assertDatabaseUrl(database);
  return fromPgUrl(database);
}

/** Where a strategy's segments come from: exactly one of `database` and `source`. */
export interface SourceOptions extends TableOptions, LogOptions, NewReignOptions {
  readonly database?: PgPoolLike | MysqlPoolLike | string | undefined;
  /** A source, which the caller closes. */
  readonly source?: SegmentSource | undefined;
}

export interface OpenedSource {
  readonly source: SegmentSource;
  /** Whether the source was opened here, so that the strategy must close it. */
  readonly owned: boolean;
}

/** Opens the source that the options name. Rejects with `ERR_IDS_CONFIG` unless they name exactly one. */
export async function openSource(options: SourceOptions): Promise<OpenedSource> {
  const { database, source, table, log, owner, afterFailover, afterRestore } = options;
  const problem = sourceProblem(options);
  if (problem !== undefined) throw new IdError('ERR_IDS_CONFIG', problem);
  if (source !== undefined) return { source, owned: false };
  if (database === undefined) throw new TypeError('unreachable: sourceProblem wants one of the two');
  return {
    source: await openSqlSource({ database, table, log, owner, afterFailover, afterRestore }),
    owned: true,
  };
}

/** For `IdStrategy.table`; a source has its own, which is not known. */
export function tableOfSequence({
  database,
  table = DEFAULT_TABLE,
}: SourceOptions): StrategyTable | undefined {
  return database === undefined ? undefined : { name: table, rows: 'sequences' };
}

/** Why the options do not name exactly one source; undefined if they do. */
function sourceProblem(options: SourceOptions): string | undefined {
  const { database, source, table, log } = options;
  if (database === undefined && source === undefined) {
    return 'give "database" (a postgres:// or mysql:// URL, or a pool of pg or mysql2) or "source" (a SegmentSource)';
  }
  if (database !== undefined && source !== undefined) return 'give "database" or "source", not both';
  if (source !== undefined && table !== undefined)
    return '"table" belongs to "database"; a "source" has its own';
  if (source !== undefined && log === true)
    return '"log" belongs to "database"; a "source" writes its own log or none';
  for (const name of ['afterFailover', 'afterRestore'] as const) {
    if (source !== undefined && options[name] !== undefined)
      return `"${name}" belongs to "database"; a "source" has its own`;
  }
  return undefined;
}

function isSegmentSource(value: unknown): value is SegmentSource {
  if (typeof value !== 'object' || value === null) return false;
  const { describe, reserve, close } = value as Partial<SegmentSource>;
  return [describe, reserve, close].every((method) => typeof method === 'function');
}

/** The databases of segments, for error messages. */
const ANY_URL_RULE = 'a postgres://, postgresql://, mysql:// or mariadb:// URL';

/** The messages of the schema library would quote the value, and a URL may contain a password. */
function databaseMessage(value: unknown, urls: string = DATABASE_URL_RULE, pools = 'a pg.Pool'): string {
  if (typeof value === 'string') return describeBadUrl(value, urls);
  const accepted = `must be ${urls} or ${pools}`;
  return typeof value === 'object' && value !== null && 'query' in value
    ? `${accepted}, not a client or a transaction: a reservation must commit by itself`
    : `${accepted}, got ${shownValue(value)}`;
}

function afterReignChange() {
  return v.optional(
    v.custom<AfterReignChange>(isAfterReignChange, ({ input }) => `${AFTER_RULE}, got ${shownValue(input)}`),
  );
}

/** The options of every strategy with a table in Postgres: where it is, and whether grants are logged. */
export const databaseOptions = {
  database: v.optional(
    v.custom<PgPoolLike | string>(
      (value) => isDatabaseUrl(value) || isPgPool(value),
      ({ input }) => databaseMessage(input),
    ),
  ),
  table: v.optional(
    v.custom<string>(isTableName, ({ input }) => `must be ${TABLE_NAME_RULE}, got ${shownValue(input)}`),
  ),
  log: v.optional(
    v.custom<boolean>(
      (value) => typeof value === 'boolean',
      ({ input }) => `must be true or false, got ${shownValue(input)}`,
    ),
  ),
  owner: v.optional(
    v.custom<string>(isOwner, ({ input }) => `must be ${OWNER_RULE}, got ${shownValue(input)}`),
  ),
};

/** The schemas of `SourceOptions`, by name; `sourceProblem` checks how they combine. */
export const sourceOptions = {
  ...databaseOptions,
  database: v.optional(
    v.custom<PgPoolLike | MysqlPoolLike | string>(
      (value) => isDatabaseUrl(value) || isPgPool(value) || isMysqlUrl(value) || isMysqlPool(value),
      ({ input }) => databaseMessage(input, ANY_URL_RULE, 'a pool of pg or mysql2'),
    ),
  ),
  afterFailover: afterReignChange(),
  afterRestore: afterReignChange(),
  source: v.optional(
    v.custom<SegmentSource>(
      isSegmentSource,
      ({ input }) => `must be a SegmentSource (describe, reserve, close), got ${shownValue(input)}`,
    ),
  ),
};

type Replaced<Shared, Own> = Omit<Shared, keyof Own> & Own;

type Shared = ParsedSequenceOptions & SourceOptions;

/** What a user writes for a strategy that issues ids of segments, with the entries `Own` of that strategy. */
export type SegmentOptions<Own extends v.ObjectEntries> = Replaced<
  SequenceOptions & SourceOptions,
  v.InferInput<v.ObjectSchema<Own, undefined>>
>;

/** The same, with defaults. */
export type ParsedSegmentOptions<Own extends v.ObjectEntries> = Replaced<
  Shared,
  v.InferOutput<v.ObjectSchema<Own, undefined>>
>;

export interface SegmentOptionsSchema<Own extends v.ObjectEntries> {
  readonly schema: v.GenericSchema<SegmentOptions<Own>, ParsedSegmentOptions<Own>>;
  /** The names of all options. */
  readonly names: readonly string[];
}

/**
 * The schema of a strategy that issues ids of segments: the options that all of them have, and its `own`. The
 * type is written out, because the inferred one is hundreds of kilobytes long. `hasSteps`: whether the
 * generator that the options describe reserves ids in advance, so that its steps must make sense.
 */
export function segmentOptionsSchema<const Own extends v.ObjectEntries>(
  own: Own,
  hasSteps: (options: v.InferOutput<v.ObjectSchema<Own, undefined>>) => boolean = () => true,
): SegmentOptionsSchema<Own> {
  const entries = { ...sequenceOptions, ...sourceOptions, ...own };
  const problem = (options: unknown) =>
    (hasSteps(options as never) ? stepProblem(options as Shared) : undefined) ??
    sourceProblem(options as Shared);
  const schema = v.pipe(
    v.object(entries),
    v.check(
      (options) => problem(options) === undefined,
      ({ input }) => problem(input) ?? '',
    ),
  );
  return { schema: schema as unknown as SegmentOptionsSchema<Own>['schema'], names: Object.keys(entries) };
}
