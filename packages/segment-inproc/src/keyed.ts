import type { Guarantees, KeyedIdGenerator } from '@ids/core';
import { KeyedDispenser, type KeyedListener, type KeyedSource } from '@ids/keyed';
import {
  type IdTypeName,
  type IdTypes,
  type ParsedSequenceOptions,
  type SequenceGroup,
  toIdOf,
} from '@ids/segment';
import type { KeyOptions } from './generator-options.js';

/** What a generator over a source of keys needs to know; parsed. */
interface KeyedOptions
  extends Omit<ParsedSequenceOptions, 'onEvent' | 'minStep'>,
    Omit<KeyOptions, 'onEvent'> {
  readonly group?: SequenceGroup | undefined;
  /** A `KeyedListener`: the types cannot say that `keyed` decides which events there are. */
  readonly onEvent?: unknown;
}

/** Opens a generator of sequences by key, after a look at its family. Closes a source that is `owned`. */
export async function openKeyed(
  strategy: string,
  { source, owned }: { readonly source: KeyedSource; readonly owned: boolean },
  options: KeyedOptions,
  guarantees: Guarantees,
): Promise<KeyedIdGenerator<IdTypes[IdTypeName]>> {
  const { name, as, maxStep, maxIdsLost, maxNewKeysPerSecond, accept, group, deadlineMs } = options;
  const { refuseFormerPrimaryMs } = options;
  return KeyedDispenser.open<IdTypes[IdTypeName]>({
    strategy,
    guarantees,
    source,
    closeSource: owned,
    name,
    toId: toIdOf[as],
    maxStep,
    maxIdsLost,
    maxNewKeysPerSecond,
    accept,
    group,
    deadlineMs,
    refuseFormerPrimaryMs,
    onEvent: options.onEvent as KeyedListener | undefined,
  });
}
