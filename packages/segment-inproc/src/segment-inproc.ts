import type { Guarantees, IdStrategy } from '@ids/core';
import { defineGuarantees, parseOptions } from '@ids/core/strategy';
import {
  AdaptiveStep,
  DECIMAL_TEXT,
  describeWithin,
  groupsDiffer,
  type IdTypeName,
  type IdTypes,
  inspectDecimal,
  toIdOf,
} from '@ids/segment';
import { openSource } from '@ids/segment/sql';
import { optionNames, optionsSchema, type ParsedOptions, type SegmentInprocOptions } from './options.js';
import { SegmentGenerator, type SegmentIdGenerator } from './segment-generator.js';

type AnyGenerator = SegmentIdGenerator<IdTypes[IdTypeName]>;
type Variants = readonly [
  readonly [{ readonly as: 'number' }, SegmentIdGenerator<number>],
  readonly [{ readonly as: 'bigint' }, SegmentIdGenerator<bigint>],
  readonly [{ readonly as: 'string' }, SegmentIdGenerator<string>],
];

/**
 * Numbers from segments that are reserved in a database and held in this process: unique in the
 * cluster, rising within one generator. The strategy, for lists and config files;
 * `createSegmentGenerator` is the same without either.
 */
export const segmentInproc: IdStrategy<
  'segment-inproc',
  SegmentInprocOptions,
  ParsedOptions,
  AnyGenerator,
  Variants
> = {
  name: 'segment-inproc',
  options: optionsSchema,
  optionNames,
  guarantees: guaranteesOf,
  create: open,
  inspect: inspectDecimal,
};

/**
 * Opens a generator once its sequence was found: rejects with `ERR_IDS_CONFIG` when an option, the table, the
 * sequence or the server's durability is not right, `ERR_IDS_UNAVAILABLE` or `ERR_IDS_TIMEOUT` when the
 * database cannot be asked. The first segment is fetched when ids or `ready()` are first asked for. A
 * `source` or pool that was handed in stays the caller's to close.
 */
export function createSegmentGenerator<As extends IdTypeName = 'number'>(
  options: SegmentInprocOptions & { readonly as?: As | undefined },
): Promise<SegmentIdGenerator<IdTypes[As]>>;
export async function createSegmentGenerator(options: SegmentInprocOptions): Promise<AnyGenerator> {
  return open(parseOptions(segmentInproc, options));
}

async function open(options: ParsedOptions): Promise<AnyGenerator> {
  const { name, as, deadlineMs, onEvent } = options;
  const { source, owned } = await openSource(options);
  try {
    const sequence = await describeWithin(source, name, deadlineMs, onEvent);
    const difference = options.group && groupsDiffer(name, sequence.group, options.group);
    if (difference !== undefined) throw difference;
  } catch (error) {
    if (owned) await source.close();
    throw error;
  }
  return new SegmentGenerator<IdTypes[IdTypeName]>({
    strategy: segmentInproc.name,
    source,
    name,
    step: new AdaptiveStep(options),
    toId: toIdOf[as],
    deadlineMs,
    onEvent,
    guarantees: guaranteesOf(options),
    ownedSource: owned ? source : undefined,
  });
}

function guaranteesOf({ as, maxIdsLost }: Pick<ParsedOptions, 'as' | 'maxIdsLost'>): Guarantees {
  return defineGuarantees({
    unique: 'cluster',
    order: { process: 'increasing', cluster: 'none' },
    gaps: 'on-restart',
    sync: true,
    idType: as,
    text: DECIMAL_TEXT,
    backends: ['sql'],
    discloses: ['volume'],
    ...(maxIdsLost !== undefined && { maxIdsLost }),
  });
}
