import { IdError } from '@ids/core';
import type { SegmentSource, Sequence } from './segment-source.js';
import { within } from './within.js';

/** The start-up probe of a dispenser: reads the sequence, or rejects with `ERR_IDS_TIMEOUT` after `deadlineMs`. */
export function describeWithin(source: SegmentSource, name: string, deadlineMs: number): Promise<Sequence> {
  const expired = (): IdError =>
    new IdError('ERR_IDS_TIMEOUT', `sequence "${name}": its source did not answer within ${deadlineMs} ms`);
  return within(deadlineMs, undefined, expired, (signal) => source.describe(name, { signal }));
}
