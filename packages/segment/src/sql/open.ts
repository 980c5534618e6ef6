import { IdError } from '@ids/core';
import { ruleMessage } from '@ids/core/strategy';
import { type LogOptions, type NewReignOptions, quotedTable, type TableOptions } from '@ids/store';
import { type AnyDatabase, afterReignChange, databaseOptions, openDatabase } from '@ids/store/open';
import * as v from 'valibot';
import {
  type ParsedSequenceOptions,
  type SequenceOptions,
  sequenceOptions,
  stepProblem,
} from '../options.js';
import { isSegmentSource, type SegmentSource } from '../segment-source.js';
import { DEFAULT_TABLE } from '../table/wording.js';
import { SqlSegmentSource } from './any-dialect.js';

export interface SqlSourceOptions extends TableOptions, LogOptions, NewReignOptions {
  /**
   * A pool of `pg` or `mysql2`, a client of `postgres` or `Bun.SQL`, a `Pool` or the function of
   * `@neondatabase/serverless`, or a database of `better-sqlite3`, `libsql` or `node:sqlite`, which the
   * caller closes; or a `postgres://`, `mysql://`, `mariadb://`, `libsql://` or `sqlite:` URL, which is
   * opened and closed here.
   */
  readonly database: AnyDatabase;
}

/**
 * A segment source over a database. Its `close` closes what was opened here. It connects when it is first
 * used.
 */
export async function openSqlSource({ database, ...options }: SqlSourceOptions): Promise<SqlSegmentSource> {
  quotedTable(options.table ?? DEFAULT_TABLE);
  return new SqlSegmentSource(await openDatabase(database), { ...options, closeExecutor: true });
}

/** Where a strategy's segments come from: exactly one of `database` and `source`. */
export interface SourceOptions extends TableOptions, LogOptions, NewReignOptions {
  readonly database?: AnyDatabase | undefined;
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

/** Why the options do not name exactly one source; undefined if they do. */
function sourceProblem(options: SourceOptions): string | undefined {
  const { database, source, log } = options;
  if (database === undefined && source === undefined) {
    return 'give "database" (a postgres://, mysql:// or sqlite: URL, or a pool of pg or mysql2) or "source" (a SegmentSource)';
  }
  if (database !== undefined && source !== undefined) return 'give "database" or "source", not both';
  if (source === undefined) return undefined;
  const own = (['table', 'afterFailover', 'afterRestore'] as const).find(
    (name) => options[name] !== undefined,
  );
  if (log === true && own !== 'table')
    return '"log" belongs to "database"; a "source" writes its own log or none';
  return own && `"${own}" belongs to "database"; a "source" has its own`;
}

/** The schemas of `SourceOptions`, by name; `sourceProblem` checks how they combine. */
export const sourceOptions = {
  ...databaseOptions,
  afterFailover: afterReignChange(),
  afterRestore: afterReignChange(),
  source: v.optional(
    v.custom<SegmentSource>(
      isSegmentSource,
      ruleMessage('must be a SegmentSource (describe, reserve, close)'),
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
