import {
  type Guarantees,
  IdError,
  type IdGenerator,
  type IdStrategy,
  type KeyedIdGenerator,
} from '@ids/core';
import { parseOptions } from '@ids/core/strategy';
import type { IdTypeName, IdTypes } from '@ids/segment';
import type * as v from 'valibot';
import { assertOffered, guaranteesOf } from './claims.js';
import { Connection } from './connection.js';
import { describeGenerator } from './describe.js';
import { type HttpCounters, HttpGenerator } from './generator.js';
import { idReader } from './id-text.js';
import { KnownRealm } from './known-realm.js';
import { openKeyed } from './open-keyed.js';
import { type HttpSegmentIdGenerator, openSegments } from './open-segments.js';
import {
  type HttpKeyedOptions,
  type HttpOptions,
  type HttpSegmentOptions,
  optionNames,
  optionsSchema,
  type ParsedOptions,
} from './options.js';

type AnyId = IdTypes[IdTypeName];

/** A generator whose ids a server issues. */
export interface HttpIdGenerator<T extends AnyId = AnyId> extends IdGenerator<T> {
  /** Totals since it was opened; without I/O, also after `close`. */
  counters(): HttpCounters;
}

type AnyOptions = HttpOptions | HttpSegmentOptions | HttpKeyedOptions;
type AnyGenerator = HttpIdGenerator | HttpSegmentIdGenerator;

type Variants = readonly [
  readonly [{ readonly as: 'number'; readonly mode: 'ids' }, HttpIdGenerator<number>],
  readonly [{ readonly as: 'bigint'; readonly mode: 'segments' }, HttpSegmentIdGenerator<bigint>],
  readonly [{ readonly as: 'string'; readonly mode: 'segments' }, HttpSegmentIdGenerator<string>],
  readonly [{ readonly mode: 'segments' }, HttpSegmentIdGenerator<number>],
  readonly [{ readonly as: 'bigint' }, HttpIdGenerator<bigint>],
  readonly [{ readonly as: 'string' }, HttpIdGenerator<string>],
  readonly [{ readonly as?: 'number' }, HttpIdGenerator<number>],
];

/**
 * Ids from a server of `@ids/server`. This is the strategy, for lists and config files; `createHttpGenerator`
 * opens a generator without either.
 */
export const http: IdStrategy<'http', AnyOptions, ParsedOptions, AnyGenerator, Variants> = {
  name: 'http',
  options: optionsSchema as unknown as v.GenericSchema<AnyOptions, ParsedOptions>,
  optionNames,
  example: { url: 'https://ids.example.com' },
  guarantees: guaranteesOf,
  create: open,
  createKeyed: openByKey,
};

/**
 * Asks the server about the generator, and opens it. Rejects with `ERR_IDS_CONFIG` if an option is wrong, or
 * if the server has no such generator for this client; with `ERR_IDS_UNMET` if it promises less than the
 * options claim; with `ERR_IDS_UNAVAILABLE` or `ERR_IDS_TIMEOUT` if it cannot be reached.
 */
export function createHttpGenerator<As extends IdTypeName = 'number'>(
  options: HttpSegmentOptions & { readonly as?: As | undefined },
): Promise<HttpSegmentIdGenerator<IdTypes[As]>>;
export function createHttpGenerator<As extends IdTypeName = 'number'>(
  options: HttpOptions & { readonly as?: As | undefined },
): Promise<HttpIdGenerator<IdTypes[As]>>;
export async function createHttpGenerator(options: HttpOptions | HttpSegmentOptions): Promise<AnyGenerator> {
  return open(parseOptions(http, options));
}

/** Opens a generator of sequences by key. Rejects as `createHttpGenerator` does. */
export async function createKeyedHttpGenerator<As extends IdTypeName = 'number'>(
  options: HttpKeyedOptions & { readonly as?: As | undefined },
): Promise<KeyedIdGenerator<IdTypes[As]>> {
  return (await openByKey(parseOptions(http, options))) as KeyedIdGenerator<IdTypes[As]>;
}

async function openByKey(options: ParsedOptions): Promise<KeyedIdGenerator<AnyId>> {
  if (options.keyed === true) return openKeyed(http.name, guaranteesOf(options), options);
  throw new IdError(
    'ERR_IDS_CONFIG',
    `${http.name}: option "keyed": must be true here, got ${options.keyed}`,
  );
}

async function open(options: ParsedOptions): Promise<AnyGenerator> {
  if (options.keyed === true) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `${http.name}: option "keyed": such a generator is opened by createKeyedHttpGenerator, by createKeyed of createIds, or from a config file`,
    );
  }
  const guarantees = guaranteesOf(options);
  return options.mode === 'segments'
    ? openSegments(http.name, guarantees, options)
    : openIssued(guarantees, options);
}

async function openIssued(guarantees: Guarantees, options: ParsedOptions): Promise<HttpIdGenerator> {
  const { name, as, deadlineMs, onEvent } = options;
  const connection = new Connection(options);
  const described = await describeGenerator(connection, name, { timeoutMs: deadlineMs });
  assertOffered(name, guarantees, described.guarantees);
  const realm = new KnownRealm(name, connection.server);
  realm.accept(described.realm);
  const { maxIdsPerRequest: maxIds } = described;
  const toIds = idReader({ as, guarantees, connection });
  return new HttpGenerator<AnyId>({
    strategy: http.name,
    guarantees,
    connection,
    name,
    realm,
    maxIds,
    toIds,
    deadlineMs,
    onEvent,
  });
}
