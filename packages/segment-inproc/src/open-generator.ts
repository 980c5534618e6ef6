import type { Guarantees } from '@ids/core';
import { defineGuarantees } from '@ids/core/strategy';
import {
  AdaptiveStep,
  BurstDispenser,
  DECIMAL_TEXT,
  describeWithin,
  groupsDiffer,
  type IdTypeName,
  type IdTypes,
  type ParsedSequenceOptions,
  SegmentBuffer,
  type SegmentSource,
  type SequenceGroup,
  type SequenceState,
  toIdOf,
} from '@ids/segment';
import type { OrderedSegmentInprocIdGenerator, SegmentInprocIdGenerator } from './generator.js';

type AnyId = IdTypes[IdTypeName];

/** What a generator over a source needs to know; parsed. */
interface GeneratorOptions extends ParsedSequenceOptions {
  readonly order: 'increasing' | 'real-time';
  readonly group?: SequenceGroup | undefined;
}

/** Checks the sequence and opens a generator. Closes a source that is `owned` if that fails. */
export async function openGenerator(
  strategy: string,
  { source, owned }: { readonly source: SegmentSource; readonly owned: boolean },
  options: GeneratorOptions,
): Promise<SegmentInprocIdGenerator<AnyId> | OrderedSegmentInprocIdGenerator<AnyId>> {
  const { name, as, deadlineMs, refuseFormerPrimaryMs, onEvent } = options;
  let sequence: SequenceState;
  try {
    sequence = await describeWithin(source, name, deadlineMs, onEvent);
    const difference = options.group && groupsDiffer(name, sequence.group, options.group);
    if (difference !== undefined) throw difference;
  } catch (error) {
    if (owned) await source.close();
    throw error;
  }
  const shared = {
    strategy,
    source,
    name,
    origin: sequence,
    toId: toIdOf[as],
    deadlineMs,
    refuseFormerPrimaryMs,
    onEvent,
    guarantees: guaranteesOf(options),
    closeSource: owned,
  };
  const { maxStep: maxBurst, maxIdsLost } = options;
  return options.order === 'real-time'
    ? new BurstDispenser<AnyId>({ ...shared, maxBurst, maxIdsLost })
    : new SegmentBuffer<AnyId>({ ...shared, step: new AdaptiveStep(options) });
}

export function guaranteesOf({
  as,
  order,
  maxIdsLost,
  keyed = false,
}: Pick<GeneratorOptions, 'as' | 'order' | 'maxIdsLost'> & {
  readonly keyed?: boolean | undefined;
}): Guarantees {
  const ordered = order === 'real-time';
  return defineGuarantees({
    ...(keyed && { within: 'key' as const }),
    unique: 'cluster',
    order: { process: 'increasing', cluster: ordered ? 'real-time' : 'none' },
    gaps: ordered ? 'on-fault' : 'on-restart',
    sync: !ordered,
    idType: as,
    text: DECIMAL_TEXT,
    backends: ['sql'],
    discloses: ['volume'],
    ...(maxIdsLost !== undefined && { maxIdsLost }),
  });
}
