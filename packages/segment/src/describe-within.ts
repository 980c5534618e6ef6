import { IdError } from '@ids/core';
import { guardedListener, type SegmentListener } from './segment-event.js';
import type { SegmentSource, Sequence } from './segment-source.js';
import { within } from './within.js';

/**
 * The start-up probe of a dispenser: reads the sequence, or rejects with `ERR_IDS_TIMEOUT` after
 * `deadlineMs`. What the store is not set up to survive goes to `onEvent`.
 */
export async function describeWithin(
  source: SegmentSource,
  name: string,
  deadlineMs: number,
  onEvent?: SegmentListener,
): Promise<Sequence> {
  const expired = (): IdError =>
    new IdError('ERR_IDS_TIMEOUT', `sequence "${name}": its source did not answer within ${deadlineMs} ms`);
  const sequence = await within(deadlineMs, undefined, expired, (signal) =>
    source.describe(name, { signal }),
  );
  const emit = guardedListener(onEvent);
  for (const message of sequence.warnings ?? []) emit({ type: 'warning', name, message });
  return sequence;
}
