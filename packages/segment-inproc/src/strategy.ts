import { IdError, type IdStrategy, type KeyedIdGenerator } from '@ids/core';
import { parseOptions } from '@ids/core/strategy';
import { keyedStore, openKeyedSource } from '@ids/keyed/sql';
import { type IdTypeName, type IdTypes, inspectDecimal } from '@ids/segment';
import { openSource, segmentStore } from '@ids/segment/sql';
import type * as v from 'valibot';
import type { OrderedSegmentInprocIdGenerator, SegmentInprocIdGenerator } from './generator.js';
import { openKeyed } from './keyed.js';
import { guaranteesOf, openGenerator } from './open-generator.js';
import {
  type KeyedSegmentInprocOptions,
  type OrderedSegmentInprocOptions,
  optionNames,
  optionsSchema,
  type ParsedOptions,
  type SegmentInprocOptions,
} from './options.js';

type AnyId = IdTypes[IdTypeName];
type AnyGenerator = SegmentInprocIdGenerator<AnyId> | OrderedSegmentInprocIdGenerator<AnyId>;
type Variants = readonly [
  readonly [{ readonly as: 'number'; readonly order: 'increasing' }, SegmentInprocIdGenerator<number>],
  readonly [{ readonly as: 'bigint'; readonly order: 'real-time' }, OrderedSegmentInprocIdGenerator<bigint>],
  readonly [{ readonly as: 'string'; readonly order: 'real-time' }, OrderedSegmentInprocIdGenerator<string>],
  readonly [{ readonly order: 'real-time' }, OrderedSegmentInprocIdGenerator<number>],
  readonly [{ readonly as: 'bigint' }, SegmentInprocIdGenerator<bigint>],
  readonly [{ readonly as: 'string' }, SegmentInprocIdGenerator<string>],
  readonly [{ readonly as?: 'number' }, SegmentInprocIdGenerator<number>],
];

/**
 * Numbers from segments that are reserved in a database and held in this process: unique in the cluster,
 * increasing within one generator, or across all of them if each burst of calls reserves its own. This is the
 * strategy, for lists and config files; `createSegmentInprocGenerator` opens a generator without either.
 */
export const segmentInproc: IdStrategy<
  'segment-inproc',
  SegmentInprocOptions | OrderedSegmentInprocOptions | KeyedSegmentInprocOptions,
  ParsedOptions,
  AnyGenerator,
  Variants
> = {
  name: 'segment-inproc',
  // The type checker does not see that `order` decides what else is accepted.
  options: optionsSchema as unknown as v.GenericSchema<
    SegmentInprocOptions | OrderedSegmentInprocOptions | KeyedSegmentInprocOptions,
    ParsedOptions
  >,
  optionNames,
  guarantees: guaranteesOf,
  store: (options) => (options.keyed === true ? keyedStore(options) : segmentStore(options)),
  create: open,
  createKeyed: openByKey,
  inspect: inspectDecimal,
};

/**
 * Checks the sequence and opens a generator. Rejects with `ERR_IDS_CONFIG` if an option, the table, the
 * sequence or the durability of the server is wrong; with `ERR_IDS_UNAVAILABLE` or `ERR_IDS_TIMEOUT` if the
 * database cannot be reached. The first segment is fetched at the first call or `ready()`. The caller closes
 * its own `source` or pool.
 */
export function createSegmentInprocGenerator<As extends IdTypeName = 'number'>(
  options: OrderedSegmentInprocOptions & { readonly as?: As | undefined },
): Promise<OrderedSegmentInprocIdGenerator<IdTypes[As]>>;
export function createSegmentInprocGenerator<As extends IdTypeName = 'number'>(
  options: SegmentInprocOptions & { readonly as?: As | undefined },
): Promise<SegmentInprocIdGenerator<IdTypes[As]>>;
export async function createSegmentInprocGenerator(
  options: SegmentInprocOptions | OrderedSegmentInprocOptions,
): Promise<AnyGenerator> {
  return open(parseOptions(segmentInproc, options));
}

/**
 * Checks the family and opens a generator of sequences by key. Rejects as `createSegmentInprocGenerator`
 * does. The caller closes its own pool.
 */
export async function createKeyedSegmentInprocGenerator<As extends IdTypeName = 'number'>(
  options: KeyedSegmentInprocOptions & { readonly as?: As | undefined },
): Promise<KeyedIdGenerator<IdTypes[As]>> {
  return (await openByKey(parseOptions(segmentInproc, options))) as KeyedIdGenerator<IdTypes[As]>;
}

async function openByKey(options: ParsedOptions): Promise<KeyedIdGenerator<AnyId>> {
  if (options.keyed !== true) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `${segmentInproc.name}: option "keyed": must be true here, got ${options.keyed}`,
    );
  }
  const { database, table, log, owner, afterFailover, afterRestore } = options;
  if (database === undefined) throw new TypeError('unreachable: a sequence by key needs a database');
  const source = await openKeyedSource({ database, table, log, owner, afterFailover, afterRestore });
  return openKeyed(segmentInproc.name, { source, owned: true }, options, guaranteesOf(options));
}

async function open(options: ParsedOptions): Promise<AnyGenerator> {
  if (options.keyed === true) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `${segmentInproc.name}: option "keyed": such a generator is opened by createKeyedSegmentInprocGenerator, by createKeyed of createIds, or from a config file`,
    );
  }
  return openGenerator(segmentInproc.name, await openSource(options), options);
}
