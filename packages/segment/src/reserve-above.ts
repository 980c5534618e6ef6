import { IdError, type RequestOptions } from '@ids/core';
import type { Segment } from './segment.js';
import type { SegmentListener } from './segment-event.js';
import type { SegmentSource } from './segment-source.js';

export interface ReserveAboveOptions extends RequestOptions {
  readonly onEvent: SegmentListener;
}

/**
 * The regression guard. Reserves a segment above `floor`, the greatest id that the caller knew to be reserved *before*
 * this call. A source that never goes back gives nothing else; one that does (restored, failed over to a lagging standby) is
 * noticed here, reported as a `regression`, and raised above the floor. Every dispenser reserves through this function.
 */
export async function reserveAbove(
  source: SegmentSource,
  name: string,
  size: number,
  floor: number,
  { onEvent, ...request }: ReserveAboveOptions,
): Promise<Segment> {
  const segment = await source.reserve(name, size, request);
  if (segment.low > floor) return segment;
  onEvent({ type: 'regression', name, floor, segment });
  const healed = await source.reserve(name, size, { ...request, floor });
  if (healed.low > floor) return healed;
  throw new IdError(
    'ERR_IDS_REGRESSED',
    `sequence "${name}": the source gave ${healed.low}..${healed.high} although ids up to ${floor} were reserved before`,
  );
}
