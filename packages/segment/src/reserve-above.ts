import { IdError, isIdError } from '@ids/core';
import type { SegmentListener } from './events.js';
import { LAST_ID, type Segment } from './segment.js';
import {
  type ReservedSegment,
  type ReserveOptions,
  type SegmentSource,
  SequenceMovedError,
} from './segment-source.js';

export interface ReserveAboveOptions extends Pick<ReserveOptions, 'signal' | 'timeoutMs'> {
  readonly onEvent: SegmentListener;
  /**
   * Reserve only directly behind `floor`: rejects with `SequenceMovedError` when the sequence is
   * above it. Default false.
   */
  readonly behindFloor?: boolean;
}

/**
 * The regression guard. Reserves a segment above `floor`, the greatest id that the caller knew to be reserved
 * *before* this call. A source that never goes back gives nothing else; one that does (restored, failed over
 * to a lagging standby) is noticed here, reported as a `regression`, and raised above the floor. A source
 * that notices by itself that it has another history says so with the segment, which is reported as a
 * `new-reign`. Every dispenser reserves through this function. Near the end of the range the segment is
 * smaller than `size`, so that the last ids are given too.
 */
export async function reserveAbove(
  source: SegmentSource,
  name: string,
  size: number,
  floor: number,
  { onEvent, timeoutMs, behindFloor = false, ...request }: ReserveAboveOptions,
): Promise<ReservedSegment> {
  const endsAt = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
  const noted = (segment: ReservedSegment): ReservedSegment => {
    const { low, high, newReign } = segment;
    if (newReign !== undefined) onEvent({ type: 'new-reign', name, ...newReign, segment: { low, high } });
    return segment;
  };
  const segment = noted(
    behindFloor
      ? await reserveBehind(source, name, size, floor, endsAt, request)
      : await reserveRest(source, name, size, endsAt, request),
  );
  if (segment.low > floor) return segment;
  const { low, high } = segment;
  onEvent({ type: 'regression', name, floor, segment: { low, high } });
  const healed = noted(await reserveRest(source, name, size, endsAt, { ...request, floor }));
  if (healed.low > floor) return healed;
  throw new IdError(
    'ERR_IDS_REGRESSED',
    `sequence "${name}": the source gave ${healed.low}..${healed.high} although ids up to ${floor} were reserved before`,
  );
}

/**
 * As `reserveRest`, directly behind `floor`. A source that is below it gives what it would have
 * reserved, which is not reserved.
 */
async function reserveBehind(
  source: SegmentSource,
  name: string,
  size: number,
  floor: number,
  endsAt: number | undefined,
  request: ReserveOptions,
): Promise<ReservedSegment> {
  try {
    return await reserveRest(source, name, size, endsAt, { ...request, expectedMaxId: floor });
  } catch (error) {
    // Also where the sequence says that it moved to the floor itself: nothing was reserved behind it.
    if (!(error instanceof SequenceMovedError) || error.maxId >= floor) throw error;
    return { low: error.maxId + 1, high: error.maxId + size };
  }
}

/**
 * Reserves `size` ids, or fewer when the range ends before: half as many each time, at most 30
 * times in a sequence's life.
 */
async function reserveRest(
  source: SegmentSource,
  name: string,
  size: number,
  endsAt: number | undefined,
  request: ReserveOptions,
): Promise<ReservedSegment> {
  for (let rest = size; ; rest = Math.floor(rest / 2)) {
    const timeoutMs = endsAt && Math.max(1, endsAt - performance.now());
    try {
      const segment = await source.reserve(name, rest, timeoutMs ? { ...request, timeoutMs } : request);
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
