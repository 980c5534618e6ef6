import type { KeyedIdGenerator } from '@ids/core';
import { formatValue, parseOptions } from '@ids/core/strategy';
import type { KeyedSource } from '@ids/keyed';
import { type IdTypeName, type IdTypes, type SequenceOptions, sequenceOptions } from '@ids/segment';
import * as v from 'valibot';
import { generatorOptions, type KeyOptions, keyOptions } from './generator-options.js';
import { openKeyed } from './keyed.js';
import { guaranteesOf } from './open-generator.js';
import type { KeyedSegmentInprocOptions } from './options.js';

/** What a user writes for sequences by key over a source of keys. */
export interface KeyedEdgeSegmentOptions
  extends Omit<SequenceOptions, 'minStep' | 'onEvent'>,
    KeyOptions,
    Pick<KeyedSegmentInprocOptions, 'group'> {
  /** A source of keys, which the caller closes, such as a `SqliteKeyedSource`. */
  readonly source: KeyedSource;
}

const { minStep: _none, ...sequence } = sequenceOptions;
const entries = {
  ...sequence,
  source: v.custom<KeyedSource>(
    isKeyedSource,
    ({ input }) => `must be a KeyedSource (describe, reserve, highest, close), got ${formatValue(input)}`,
  ),
  group: generatorOptions.group,
  ...keyOptions,
};

function isKeyedSource(value: unknown): boolean {
  const { describe, reserve, highest, close } = Object(value) as Record<string, unknown>;
  return [describe, reserve, highest, close].every((method) => typeof method === 'function');
}

const edge = { name: 'segment-inproc', options: v.object(entries), optionNames: Object.keys(entries) };

/**
 * `createKeyedSegmentInprocGenerator` without a `database`, for a `source` of keys of the caller. Otherwise
 * the same: checks the family, and rejects with the same codes.
 */
export async function createKeyedSegmentInprocGenerator<As extends IdTypeName = 'number'>(
  options: KeyedEdgeSegmentOptions & { readonly as?: As | undefined },
): Promise<KeyedIdGenerator<IdTypes[As]>> {
  const parsed = parseOptions(edge, options as KeyedEdgeSegmentOptions);
  const guarantees = guaranteesOf({ ...parsed, order: 'real-time', keyed: true });
  const source = { source: parsed.source, owned: false };
  const generator = await openKeyed(edge.name, source, parsed, guarantees);
  return generator as KeyedIdGenerator<IdTypes[As]>;
}
