import { defineGuarantees } from '@ids/core/strategy';
import { uniqueName } from '@ids/local-services';
import type { FileDialect, SqlDialect, SqlSession } from '@ids/local-services/dialects';
import type { SequenceGroup } from '@ids/segment';
import { createSequence, openDatabase } from '@ids/segment/sql';
import type { SqlExecutor } from '@ids/store';
import { onTestFinished } from 'vitest';
import { KeyedDispenser, type KeyedDispenserOptions, type KeyedSource } from '../../src/index.js';
import { ensureKeyedSchema, SqlKeyedSource, type SqlKeyedSourceOptions } from '../../src/sql/index.js';

/** What is said of ids in real-time order within a key. */
const guarantees = defineGuarantees({
  within: 'key',
  unique: 'cluster',
  order: { process: 'increasing', cluster: 'real-time' },
  gaps: 'on-fault',
  sync: false,
  idType: 'number',
  text: { pattern: /^\d+$/, alphabet: '0123456789', minLength: 1, maxLength: 16, sortable: false },
  backends: ['sql'],
  discloses: ['volume'],
});

/** A generator of keys over `source`; it closes the source with itself. */
export function openGenerator(
  source: KeyedDispenserOptions<number>['source'],
  options: Partial<KeyedDispenserOptions<number>> = {},
): Promise<KeyedDispenser<number>> {
  return KeyedDispenser.open({
    strategy: 'keyed',
    guarantees,
    source,
    closeSource: true,
    name: 'message',
    toId: (value) => value,
    maxStep: 1_000,
    deadlineMs: 10_000,
    ...options,
  });
}

/** The tables of one family. */
export interface KeyDatabase {
  readonly url: string;
  readonly executor: SqlExecutor;
  readonly session: SqlSession;
  readonly table: string;
  readonly keys: string;
  /** A source with connections of its own, as another process has. */
  source(options?: SqlKeyedSourceOptions): Promise<SqlKeyedSource>;
  open(options?: Partial<KeyedDispenserOptions<number>>): Promise<KeyedDispenser<number>>;
}

export interface KeyDatabaseOptions {
  /** By default, that of the server which all tests share, or of a file. */
  readonly url?: string;
  readonly family?: string;
  readonly startAfter?: number;
  /** None by default. */
  readonly group?: SequenceGroup;
  /** Whether there is a grant log; default false. */
  readonly log?: boolean;
}

/** Creates the tables of a family, with names of their own. What is opened ends with the test. */
export async function openKeyDatabase(
  kind: SqlDialect | FileDialect,
  { url: own, family = 'message', startAfter = 0, group, log = false }: KeyDatabaseOptions = {},
): Promise<KeyDatabase> {
  const url = own ?? (await kind.shared());
  const table = uniqueName('keyed');
  const executor = await openExecutor(url, kind);
  const session = kind.connect(url);
  onTestFinished(() => session.end());
  await ensureKeyedSchema(executor, { table, log });
  await createSequence(executor, family, { table, startAfter, group });
  const source = (options: SqlKeyedSourceOptions = {}) => openSource(url, { table, ...options }, kind);
  return {
    url,
    executor,
    session,
    table,
    keys: `${table}_key`,
    source,
    open: async (options = {}) => openGenerator(await source(), options),
  };
}

/** An executor with connections of its own, which end with the test: through a client of `kind`, or a URL. */
export async function openExecutor(url: string, kind?: SqlDialect | FileDialect): Promise<SqlExecutor> {
  const client = kind !== undefined && 'openClient' in kind ? await kind.openClient(url, 2) : undefined;
  const executor = await openDatabase(client?.database ?? url);
  onTestFinished(async () => {
    await executor.close();
    await client?.end();
  });
  return executor;
}

export async function openSource(
  url: string,
  options: SqlKeyedSourceOptions,
  kind?: SqlDialect | FileDialect,
): Promise<SqlKeyedSource> {
  return new SqlKeyedSource(await openExecutor(url, kind), options);
}

/** The last id of one reservation of `size` ids for each key, whose row is waited for if it is locked. */
export async function reserve(keyed: KeyedSource, keys: readonly string[], size = 10): Promise<number[]> {
  const requests = keys.map((key) => ({ key, size }));
  const answer = await keyed.reserve('message', requests, { wait: true });
  return answer.keys.map((one) => ('high' in one ? one.high : Number.NaN));
}

/** Holds what `sql` locks, until what it resolves with is called, or the test ends. */
export async function hold(session: SqlSession, sql: string): Promise<() => Promise<void>> {
  const end = await session.hold(sql);
  let ended: Promise<void> | undefined;
  const release = () => (ended ??= end());
  onTestFinished(release);
  return release;
}
