import type { RequestOptions } from '@ids/core';
import type { ReinstatedEvent } from './events.js';
import { type KnownReigns, SupersededReignError } from './known-reigns.js';
import type { SegmentSource, SequenceState } from './segment-source.js';

/*
 * The end of a refusal. A manager of high availability may give the leadership back to a former primary
 * without a new timeline. Nothing on that server shows it, so processes that met its successor refuse it.
 * What they can observe is time: a former primary that is fenced stops to answer, and one that answers for
 * longer than that, while nobody meets the successor, is the primary again.
 *
 * That may be wrong: both still answer, and each process is routed to one of them. So the row is raised above
 * what is known of the successor by as much as the successor does not reach soon.
 */

export interface Reinstating extends RequestOptions {
  /** Of sequences, or of families of them. */
  readonly source: Pick<SegmentSource, 'describe' | 'reinstate'>;
  readonly name: string;
  readonly known: KnownReigns;
  /** The greatest id that the caller knows to be reserved. */
  readonly floor: number;
  readonly onEvent: (event: ReinstatedEvent) => void;
  /** The reading of `performance.now()` at which the caller stops waiting. */
  readonly endsAt?: number | undefined;
}

/**
 * Makes an attempt at a server, and a second one if the first was refused by a former primary that has become
 * the primary again. Rejects as `attempt` does.
 */
export async function orReinstated<T>(attempt: () => Promise<T>, reinstating: Reinstating): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof SupersededReignError) || !(await reinstate(reinstating))) throw error;
    return attempt();
  }
}

/**
 * Whether another attempt may succeed: also if another process was faster, whose reign the row then names.
 * Twice, or later than its caller waits: nothing is changed. After a loss of the answer, the next attempt
 * finds the new reign, and accepts it.
 */
async function reinstate({ source, name, known, floor, onEvent, endsAt, signal }: Reinstating) {
  const former = known.reinstatable;
  if (former === undefined || source.reinstate === undefined) return false;
  const { follows } = former;
  const reinstated = await source.reinstate(name, {
    ...former,
    floor: Math.max(floor, former.floor),
    ...(endsAt !== undefined && { timeoutMs: Math.max(1, endsAt - performance.now()) }),
    ...(signal !== undefined && { signal }),
  });
  if (reinstated === undefined) return true;
  const { origin, maxId, skipped } = reinstated;
  known.accept(origin, maxId);
  onEvent({ type: 'reinstated', name, reign: origin.reigns?.[0] ?? '', follows, maxId, skipped });
  return true;
}

/** Reads the sequence, and reserves nothing. Rejects as a reservation there would. */
export function meet(reinstating: Reinstating): Promise<SequenceState> {
  const { source, name, known, signal } = reinstating;
  return orReinstated(async () => {
    const state = await source.describe(name, signal && { signal });
    known.acceptRow(state, state.maxId, state.pending !== undefined);
    return state;
  }, reinstating);
}
