import { IdError, isIdError, type RequestOptions } from '@ids/core';
import { LAST_ID, type Segment } from './segment.js';
import type { SegmentListener } from './segment-event.js';
import type { ReserveOptions, SegmentSource } from './segment-source.js';

export interface ReserveAboveOptions extends RequestOptions {
  readonly onEvent: SegmentListener;
}

/**
 * The regression guard. Reserves a segment above `floor`, the greatest id that the caller knew to be reserved *before*
 * this call. A source that never goes back gives nothing else; one that does (restored, failed over to a lagging standby) is
 * noticed here, reported as a `regression`, and raised above the floor. Every dispenser reserves through this function.
 * Near the end of the range the segment is smaller than `size`, so that the last ids are given too.
 */
export async function reserveAbove(
  source: SegmentSource,
  name: string,
  size: number,
  floor: number,
  { onEvent, ...request }: ReserveAboveOptions,
): Promise<Segment> {
  const segment = await reserveRest(source, name, size, request);
  if (segment.low > floor) return segment;
  onEvent({ type: 'regression', name, floor, segment });
  const healed = await reserveRest(source, name, size, { ...request, floor });
  if (healed.low > floor) return healed;
  throw new IdError(
    'ERR_IDS_REGRESSED',
    `sequence "${name}": the source gave ${healed.low}..${healed.high} although ids up to ${floor} were reserved before`,
  );
}

/** Reserves `size` ids, or fewer when the range ends before: half as many each time, at most 30 times in a sequence's life. */
async function reserveRest(
  source: SegmentSource,
  name: string,
  size: number,
  options: ReserveOptions,
): Promise<Segment> {
  for (let rest = size; ; rest = Math.floor(rest / 2)) {
    try {
      const segment = await source.reserve(name, rest, options);
      assertSegment(name, segment);
      return segment;
    } catch (error) {
      if (rest === 1 || !isIdError(error) || error.code !== 'ERR_IDS_EXHAUSTED') throw error;
    }
  }
}

/** A source may be anybody's code; what it gives becomes ids unseen. */
function assertSegment(name: string, { low, high }: Segment): void {
  if (Number.isInteger(low) && Number.isInteger(high) && 1 <= low && low <= high && high <= LAST_ID) return;
  throw new IdError(
    'ERR_IDS_CONFIG',
    `sequence "${name}": its source gave ${String(low)}..${String(high)}, which is no segment of ids from 1 to ${LAST_ID}`,
  );
}
