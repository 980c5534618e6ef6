import { basename, dirname, resolve } from 'node:path';
import {
  type ConfiguredGenerator,
  type Environment,
  type IdsConfig,
  type Logger,
  openIds,
  planGenerators,
  readConfig,
} from '@ids/config';
import { IdError, type IdGenerator, type IdStrategy } from '@ids/core';
import { unknownNameMessage } from '@ids/core/strategy';
import { type OpenedSource, openSource, type SourceOptions } from '@ids/segment/sql';
import { segmentInproc } from '@ids/segment-inproc';
import { type AnyDatabase, openDatabase } from '@ids/store/open';
import { canLease, type ServedGenerator } from '../served.js';
import { openGrants } from './open-grants.js';

export interface OpenServedOptions {
  readonly strategies: readonly IdStrategy[];
  /** The config file. By default, the `ids.config.*` in `cwd`. */
  readonly file?: string | undefined;
  readonly cwd: string;
  readonly environment: Environment;
  /** For events of the generators; the config's `logLevel` selects which. */
  readonly logger: Logger;
  /** By generator: what identifies its store, where the store does not say so itself. */
  readonly realms: ReadonlyMap<string, string>;
}

/** The generators of a config, open. */
export interface OpenServed {
  readonly generators: Readonly<Record<string, ServedGenerator>>;
  /** Closes all of them. Idempotent. */
  close(): Promise<void>;
}

/**
 * Opens every generator of a config file, and reads from its store which one that is. Rejects with
 * `ERR_IDS_CONFIG` or `ERR_IDS_UNMET` if anything is wrong with the config, and leaves nothing open.
 */
export async function openServed(options: OpenServedOptions): Promise<OpenServed> {
  const { strategies, logger, realms } = options;
  const { config, plans } = await readPlans(options);
  for (const name of realms.keys()) {
    if (plans.has(name)) continue;
    throw new IdError(
      'ERR_IDS_CONFIG',
      `--realm: ${unknownNameMessage('generator', name, [...plans.keys()])}`,
    );
  }
  const ids = await openIds({ strategies, config, logger });
  const opened: { close(): Promise<void> }[] = [ids];
  let closed: Promise<unknown> | undefined;
  const close = async (): Promise<void> => {
    closed ??= Promise.all(opened.map((one) => one.close()));
    await closed;
  };
  try {
    const open = { ...ids.generators, ...ids.keyedGenerators };
    const generators: Record<string, ServedGenerator> = {};
    for (const [name, plan] of plans) {
      const generator = open[name];
      if (generator === undefined) throw new TypeError(`unreachable: generator ${name} is not open`);
      const realm = realms.get(name) ?? (await realmOf(plan));
      const source = await openLeases(plan, generator);
      if (source?.owned) opened.push(source.source);
      const lease = source && { source: source.source, sequence: String(plan.options.name) };
      const grants = await openGrants(plan);
      if (grants !== undefined) opened.push(grants);
      generators[name] = { generator, realm, lease, whoIssued: grants?.whoIssued };
    }
    return { generators, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function readPlans({ strategies, file, cwd, environment, logger }: OpenServedOptions): Promise<{
  readonly config: IdsConfig;
  readonly plans: ReadonlyMap<string, ConfiguredGenerator>;
}> {
  const path = file === undefined ? undefined : resolve(cwd, file);
  const read = await readConfig({ cwd: path === undefined ? cwd : dirname(path), environment });
  if (path !== undefined && basename(path) !== read.file) {
    const found = `found ${read.file} in ${dirname(path)}`;
    throw new IdError('ERR_IDS_CONFIG', `--config: must be a file ids.config.*, got "${file}"; ${found}`);
  }
  for (const { about, message } of read.warnings) logger.warn(`${about} ${message}`);
  const config = read.config as IdsConfig;
  return {
    config,
    plans: planGenerators(strategies, config, { problems: read.problems, fromEnvironment: true }),
  };
}

/**
 * The source of ranges for clients: the table of a generator that issues ranges of its own from memory.
 * Undefined if there is none, or if leased ids would be out of an order that the generator promises.
 */
async function openLeases(
  { strategy, options }: ConfiguredGenerator,
  generator: Pick<IdGenerator, 'guarantees'>,
): Promise<OpenedSource | undefined> {
  if (strategy !== segmentInproc.name || !canLease(generator)) return undefined;
  return openSource(options as SourceOptions);
}

/** What identifies the store of a generator; undefined if it needs none. */
async function realmOf({ name, store, guarantees }: ConfiguredGenerator): Promise<string | undefined> {
  if (guarantees.backends.length === 0) return undefined;
  const realm = store === undefined ? undefined : await readRealm(store);
  if (realm !== undefined) return realm;
  throw new IdError(
    'ERR_IDS_CONFIG',
    `generators.${name}: its store does not say which one it is, so that clients cannot notice another one: ` +
      `give --realm ${name}=<text>, the same on all servers of this store and on no other`,
  );
}

async function readRealm(store: NonNullable<ConfiguredGenerator['store']>): Promise<string | undefined> {
  const executor = await openDatabase(store.database as AnyDatabase, { max: 1 });
  try {
    return (await store.describe(executor)).realm;
  } finally {
    await executor.close();
  }
}
