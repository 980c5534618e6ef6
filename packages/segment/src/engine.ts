import type { Guarantees, IdError } from '@ids/core';
import { Lifecycle } from '@ids/core/strategy';
import type { Origin } from '@ids/store';
import { Demand, LastFailure, noIdWithin } from '@ids/waiting';
import type { SegmentListener } from './events.js';
import { Journal } from './journal.js';
import { KnownReigns } from './known-reigns.js';
import type { SegmentSource } from './segment-source.js';

/** What a generator of the ids of a sequence needs, whether it holds some in memory or not. */
export interface EngineOptions<T> {
  /** The strategy's name, for error messages. */
  readonly strategy: string;
  readonly guarantees: Guarantees;
  /** What is known about the sequence when the generator is opened. */
  readonly origin?: (Origin & { readonly maxId?: number }) | undefined;
  /** As in `SequenceOptions`. */
  readonly refuseFormerPrimaryMs?: number | undefined;
  readonly source: SegmentSource;
  /** Whether `close` also closes the source; default false. */
  readonly closeSource?: boolean | undefined;
  readonly name: string;
  /** Converts the number of an id into what callers get. */
  readonly toId: (value: number) => T;
  /** How long a call may wait, in milliseconds. */
  readonly deadlineMs: number;
  readonly onEvent?: SegmentListener | undefined;
}

/** What its supply needs. */
export interface SupplyOptions
  extends Pick<EngineOptions<unknown>, 'source' | 'closeSource' | 'name' | 'deadlineMs'> {
  readonly known: KnownReigns;
  readonly demand: Demand<unknown>;
  /** Where failures go. */
  readonly failure: LastFailure;
  readonly emit: SegmentListener;
  /** Ends everything when it aborts. */
  readonly signal: AbortSignal;
}

/** What such a generator consists of besides its supply; `slow` says why calls wait if nothing has failed. */
export function engineParts<T>(options: EngineOptions<T>, slow: () => IdError) {
  const { strategy, guarantees, origin, refuseFormerPrimaryMs, name, toId, deadlineMs, onEvent } = options;
  const journal = new Journal(onEvent);
  const lifecycle = new Lifecycle(strategy);
  const failure = new LastFailure();
  const expired = (): IdError =>
    noIdWithin(`sequence "${name}"`, deadlineMs, failure.current?.error ?? slow());
  const demand = new Demand<T>({ deadlineMs, toId, expired });
  const known = new KnownReigns(name, origin, refuseFormerPrimaryMs);
  const [{ emit }, { signal }] = [journal, lifecycle];
  return { guarantees, journal, lifecycle, failure, demand, known, emit, signal };
}
