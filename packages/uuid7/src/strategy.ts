import type { Guarantees, IdStrategy, SyncIdGenerator } from '@ids/core';
import {
  defineGuarantees,
  formatValue,
  memoryGenerator,
  parseOptions,
  type StandardSchemaV1,
} from '@ids/core/strategy';
import { exactNow } from './exact-clock.js';
import { MAX_LEAD_MS } from './issuer.js';
import { inspectUuid7 } from './parse.js';
import { threadIssuer } from './thread-issuer.js';

/** Options of `createUuid7Generator`. */
export interface Uuid7GeneratorOptions {
  /** The form of the ids: `string`, the default, has 36 characters; `bytes` is a `Uint8Array` of 16. */
  readonly as?: 'string' | 'bytes' | undefined;
}

/**
 * A generator that issues UUIDs as 16 bytes. `guarantees` describes the same ids as strings; both sort alike.
 */
export interface Uuid7BytesGenerator
  extends Omit<SyncIdGenerator<string>, 'next' | 'nextBatch' | 'nextSync' | 'nextBatchSync'> {
  next(options?: Parameters<SyncIdGenerator['next']>[0]): Promise<Uint8Array>;
  nextBatch(count: number, options?: Parameters<SyncIdGenerator['next']>[0]): Promise<Uint8Array[]>;
  nextSync(): Uint8Array;
  nextBatchSync(count: number): Uint8Array[];
}

/** The strategy has no options: ids of a config are strings. */
type NoOptions = Readonly<Record<never, never>>;

interface ParsedOptions {
  readonly as: 'string' | 'bytes';
}

type Schema<Options> = StandardSchemaV1<Partial<Options>, Options>;

function schemaOf<Options>(validate: Schema<Options>['~standard']['validate']): Schema<Options> {
  return { '~standard': { version: 1, vendor: '@ids/uuid7', validate } };
}

function uuid7Guarantees(): Guarantees {
  return defineGuarantees({
    unique: 'cluster',
    // An id's time is truncated to the millisecond, and may be ahead of the clock.
    order: { process: 'increasing', cluster: 'k-sorted', skewMs: 1 + MAX_LEAD_MS },
    gaps: 'on-restart',
    maxIdsLost: 0,
    sync: true,
    idType: 'string',
    text: {
      pattern: /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      alphabet: '-0123456789abcdef',
      minLength: 36,
      maxLength: 36,
      sortable: true,
      caseSensitive: false,
    },
    backends: [],
    discloses: ['time', 'volume'],
  });
}

/** The strategy for `createIds` and config files. */
export const uuid7: IdStrategy<'uuid7', NoOptions, NoOptions, SyncIdGenerator<string>> = {
  name: 'uuid7',
  options: schemaOf(() => ({ value: {} })),
  optionNames: [],
  guarantees: uuid7Guarantees,
  create: async () => open(),
  inspect: inspectUuid7,
};

const FACTORY = {
  name: 'uuid7',
  options: schemaOf<ParsedOptions>((input) => {
    const { as = 'string' } = input as Uuid7GeneratorOptions;
    if (as === 'string' || as === 'bytes') return { value: { as } };
    return { issues: [{ path: ['as'], message: `must be "string" or "bytes", got ${formatValue(as)}` }] };
  }),
  optionNames: ['as'],
};

/**
 * Creates a generator of UUIDs of version 7, as 36 lower-case characters or as 16 bytes. All generators of a
 * thread share one counter, so that their ids increase together. Throws `ERR_IDS_CONFIG` if an option is
 * invalid.
 */
export function createUuid7Generator(
  options?: Uuid7GeneratorOptions & { readonly as?: 'string' | undefined },
): SyncIdGenerator<string>;
export function createUuid7Generator(
  options: Uuid7GeneratorOptions & { readonly as: 'bytes' },
): Uuid7BytesGenerator;
export function createUuid7Generator(
  options: Uuid7GeneratorOptions = {},
): SyncIdGenerator<string> | Uuid7BytesGenerator {
  return parseOptions(FACTORY, options).as === 'bytes' ? openBytes() : open();
}

function open(): SyncIdGenerator<string> {
  return memoryGenerator({
    strategy: 'uuid7',
    guarantees: uuid7Guarantees(),
    issue: () => threadIssuer().issue(exactNow()),
    issueBatch: (count) => threadIssuer().issueBatch(count, Date.now),
  });
}

function openBytes(): Uuid7BytesGenerator {
  // `memoryGenerator` only passes ids through, so they may be bytes; its types allow no objects.
  return memoryGenerator<string>({
    strategy: 'uuid7',
    guarantees: uuid7Guarantees(),
    issue: () => threadIssuer().issueBytes(exactNow()) as unknown as string,
  }) as unknown as Uuid7BytesGenerator;
}
