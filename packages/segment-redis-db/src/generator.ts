import type { Health, Id, IdGenerator } from '@ids/core';
import type { Journal } from '@ids/segment';
import { healthOf, starvedFailure, WaitingFront, type WaitingFrontParts } from '@ids/waiting';
import type { Dispenser } from './dispenser.js';
import type { SegmentRedisDbCounters, SegmentRedisDbEvent } from './events.js';
import type { Failures } from './failures.js';
import type { Outlook, Waits } from './health.js';

export interface SegmentRedisDbGeneratorParts<T extends Id> extends WaitingFrontParts<T> {
  readonly supply: Dispenser;
  readonly failures: Failures;
  readonly outlook: Outlook;
  readonly waits: Waits;
  readonly journal: Journal<SegmentRedisDbEvent>;
}

/** A generator whose ids a Redis hash dispenses to all processes. */
export interface SegmentRedisDbIdGenerator<T extends Id = Id> extends IdGenerator<T> {
  /** Totals since it was opened; without I/O, also after `close`. */
  counters(): SegmentRedisDbCounters;
}

/** Implements `IdGenerator` with a dispenser. */
export class SegmentRedisDbGenerator<T extends Id>
  extends WaitingFront<T>
  implements SegmentRedisDbIdGenerator<T>
{
  readonly #parts: SegmentRedisDbGeneratorParts<T>;

  constructor(parts: SegmentRedisDbGeneratorParts<T>) {
    super(parts);
    this.#parts = parts;
  }

  health(): Health {
    if (this.lifecycle.closed) return { status: 'closed', remaining: 0 };
    const { failures, outlook, journal } = this.#parts;
    const remaining = failures.ofRedis === undefined ? outlook.remaining : 0;
    const { idsPerSecond, exhaustedAt } = outlook;
    const health = healthOf({
      remaining,
      secondsLeft: idsPerSecond > 0 ? remaining / idsPerSecond : undefined,
      exhaustedAt,
      failure: failures.current ?? starvedFailure(this.demand.calls.starvedMs, () => failures.reason),
    });
    return { ...health, ...journal.regression };
  }

  counters(): SegmentRedisDbCounters {
    const { supply, journal, waits } = this.#parts;
    const { issued, unwanted, takes, stateLosses } = supply.counts;
    const { idsDiscarded: discarded, refills, refillSeconds, refillFailures, regressions } = journal.counts;
    const ofRefills = { refills, refillSeconds, refillFailures, regressions, stateLosses };
    const { timeouts } = waits;
    return { ...ofRefills, idsIssued: issued, idsDiscarded: discarded + unwanted, takes, timeouts };
  }
}
