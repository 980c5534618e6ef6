import { IdError, isIdError } from '@ids/core';
import type { Origin } from '@ids/store';
import { withTimeout } from '@ids/waiting';
import type { SegmentListener } from './events.js';
import type { KnownReigns } from './known-reigns.js';
import { orReinstated } from './reinstate.js';
import { type ExpiringSegment, LAST_ID, type Segment } from './segment.js';
import {
  type ReservedSegment,
  type ReserveOptions,
  type SegmentSource,
  SequenceMovedError,
  sourceTooSlow,
} from './segment-source.js';

export interface ReserveAboveOptions extends Pick<ReserveOptions, 'signal' | 'timeoutMs'> {
  readonly onEvent: SegmentListener;
  /** What the dispenser knows about the sequence's history; it learns from each answer. */
  readonly known: KnownReigns;
  /**
   * Reserve only directly after `floor`: rejects with `SequenceMovedError` if the sequence is
   * above it. Default false.
   */
  readonly behindFloor?: boolean;
}

/**
 * The regression guard. Reserves a segment above `floor`, the greatest id that the caller knew to be reserved
 * *before* this call. A source that never goes back returns nothing else. If a source did go back (restored,
 * or failed over to a lagging standby), this function detects it, reports a `regression`, and raises the
 * source above the floor, and above what else it may have lost. A source that detects by itself that its
 * history changed says so with the segment, which is reported as `new-reign`. Every dispenser reserves
 * through this function. Near the end of the range the segment is smaller than `size`, so that the last ids
 * can be issued too.
 *
 * Every answer may come from another server than the one before, also from a former primary that still
 * answers beside its successor. So nothing is reserved in a reign that is known to be over: the row would
 * run, or be raised, into ids that its successor issues. Only the row that showed a regression is raised, in
 * the reign in which it did. A former primary that has answered for long enough, while nobody met its
 * successor, is raised as well. Twice, or later: two segments, or one that nobody uses. After a loss of the
 * answer: the segment is reserved and not used.
 */
export async function reserveAbove(
  source: SegmentSource,
  name: string,
  size: number,
  floor: number,
  { onEvent, known, timeoutMs, behindFloor = false, ...request }: ReserveAboveOptions,
): Promise<ExpiringSegment> {
  const endsAt = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
  const reported = (reserved: ReservedSegment): ExpiringSegment => {
    const { low, high, origin, newReign, expiresAt = Number.POSITIVE_INFINITY } = reserved;
    if (origin !== undefined) known.accept(origin, high);
    if (newReign !== undefined) onEvent({ type: 'new-reign', name, ...newReign, segment: { low, high } });
    return { low, high, expiresAt };
  };
  const reserve = (): Promise<FoundSegment> =>
    behindFloor
      ? reserveBehind(source, name, size, floor, endsAt, { ...request, known })
      : known.reserve((within) => reserveRest(source, name, size, endsAt, { ...request, within }));
  const answer = await orReinstated(reserve, { ...request, source, name, floor, known, onEvent, endsAt });
  const segment = reported(answer);
  if (segment.low > floor) return segment;
  const { low, high } = segment;
  onEvent({ type: 'regression', name, floor, segment: { low, high } });
  const { within = answer.origin } = answer;
  // Above the answer as well: by it, the row may have reached the floor, and would then skip nothing of what
  // others had above the floor before it went back. Behind a floor, the answer was not reserved.
  const above = behindFloor ? floor : Math.max(floor, Math.min(high + 1, LAST_ID));
  const healing = reserveRest(source, name, size, endsAt, { ...request, floor: above, within });
  const healed = reported(
    await healing.catch((error: unknown) => {
      // Another server answered: its `maxId` becomes a floor, so its reign has to be known.
      if (error instanceof SequenceMovedError) known.acceptMoved(error);
      throw error;
    }),
  );
  if (healed.low > floor) return healed;
  throw new IdError(
    'ERR_IDS_REGRESSED',
    `sequence "${name}": the source returned ${healed.low}..${healed.high}, but ids up to ${floor} were reserved before`,
  );
}

/** `within`: the origin of its row, which `known` has accepted already. */
type FoundSegment = ReservedSegment & { readonly within?: Origin };

/**
 * Like `reserveRest`, directly after `floor`. If the source is below it, this returns the segment that it
 * would have reserved; that one is not reserved.
 */
async function reserveBehind(
  source: SegmentSource,
  name: string,
  size: number,
  floor: number,
  endsAt: number | undefined,
  { known, ...request }: ReserveOptions & Pick<ReserveAboveOptions, 'known'>,
): Promise<FoundSegment> {
  try {
    return await known.reserve((within) =>
      reserveRest(source, name, size, endsAt, { ...request, within, expectedMaxId: floor }),
    );
  } catch (error) {
    // Rethrown even if the sequence has moved to the floor itself: nothing was reserved after it.
    if (!(error instanceof SequenceMovedError) || error.maxId >= floor) throw error;
    const { maxId, found } = error;
    return { low: maxId + 1, high: maxId + size, within: found };
  }
}

/**
 * Reserves `size` ids, or fewer if the range ends before that: half as many each time, at most 30 times in
 * the life of a sequence.
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

/** A source may be anybody's code, and its answers become ids without another check. */
function assertSegment(name: string, { low, high }: Segment): void {
  if (Number.isInteger(low) && Number.isInteger(high) && 1 <= low && low <= high && high <= LAST_ID) return;
  throw new IdError(
    'ERR_IDS_CONFIG',
    `sequence "${name}": the source returned ${String(low)}..${String(high)}, which is not a segment of ids from 1 to ${LAST_ID}`,
  );
}

export interface RefillAttempt extends Omit<ReserveAboveOptions, 'signal' | 'timeoutMs'> {
  readonly source: SegmentSource;
  readonly name: string;
  readonly size: number;
  /** As in `reserveAbove`. */
  readonly floor: number;
  readonly timeoutMs: number;
  /** Aborts when the dispenser is closed. */
  readonly signal: AbortSignal;
}

/**
 * One reservation of a dispenser: rejects with `ERR_IDS_TIMEOUT` after `timeoutMs`. `use` is called with the
 * segment even if it arrives later than that, from a source that ignores its signal.
 */
export function attemptRefill<T>(
  { source, name, size, floor, timeoutMs, signal: parent, ...options }: RefillAttempt,
  use: (segment: ExpiringSegment) => T,
): Promise<T> {
  return withTimeout(
    timeoutMs,
    parent,
    () => sourceTooSlow(name, timeoutMs),
    async (signal) => use(await reserveAbove(source, name, size, floor, { ...options, signal, timeoutMs })),
  );
}

/** The error of a failed refill. What is not an `IdError` came from the source, which may be anybody's. */
export function refillError(name: string, cause: unknown): IdError {
  return isIdError(cause)
    ? cause
    : new IdError('ERR_IDS_UNAVAILABLE', `sequence "${name}": its source failed`, { cause });
}
