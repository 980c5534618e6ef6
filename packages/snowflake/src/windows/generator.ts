import { type Guarantees, type Health, type Id, IdError, type SyncIdGenerator } from '@ids/core';
import { assertBatchCount, Lifecycle } from '@ids/core/strategy';
import {
  Demand,
  HeldFront,
  healthOf,
  LastFailure,
  noIdWithin,
  starvedFailure,
  WaitReport,
  withTimeout,
} from '@ids/waiting';
import type { IdFormat } from '../ids/id-format.js';
import { type SnowflakeCounters, SnowflakeJournal, type SnowflakeListener } from './events.js';
import { HeldWindows, type MonotonicClock, type NanosecondClock } from './held-windows.js';
import { Keeper, type KeeperOptions, noAnswer } from './keeper.js';
import { REACH_MS, WINDOW_MS } from './lengths.js';
import { MovingTenancy } from './moving-tenancy.js';
import type { TenancyOptions } from './tenancy.js';
import { WindowSupply } from './window-supply.js';

/** What may have passed at the next attempt to claim a slot. */
const MAY_PASS = new Set<string>(['ERR_IDS_EXHAUSTED', 'ERR_IDS_CLOCK', 'ERR_IDS_TIMEOUT']);

/** A generator whose ids are stamped with time that was reserved for its slot. */
export interface SnowflakeGenerator<T extends Id = Id> extends SyncIdGenerator<T> {
  /** Totals since it was opened; without I/O, also after `close`. */
  counters(): SnowflakeCounters;
}

export interface WindowGeneratorOptions<T extends Id>
  extends TenancyOptions,
    Pick<KeeperOptions, 'name' | 'layout' | 'table'> {
  readonly strategy: string;
  readonly format: IdFormat<T>;
  readonly guarantees: Guarantees;
  /** Called when the generator is closed. */
  readonly closeTable: () => Promise<void>;
  /** The clock that is read for each id, and the same one in milliseconds. */
  readonly idClock: NanosecondClock;
  readonly clock: MonotonicClock;
  readonly overflow: 'wait' | 'throw';
  readonly deadlineMs: number;
  readonly onEvent?: SnowflakeListener | undefined;
}

/** Issues ids from windows of time that a keeper gets. */
export class WindowGenerator<T extends Id> extends HeldFront<T> implements SnowflakeGenerator<T> {
  readonly #options: WindowGeneratorOptions<T>;
  readonly #windows: HeldWindows;
  readonly #keeper: Keeper;
  readonly #failure: LastFailure;
  readonly #journal: SnowflakeJournal;

  constructor(options: WindowGeneratorOptions<T>) {
    const { strategy, name, layout, format, deadlineMs, clock, idClock, onEvent } = options;
    const from = `slots "${name}"`;
    const journal = new SnowflakeJournal(onEvent);
    const failure = new LastFailure();
    const toId = (sequence: number): T => format.id(sequence);
    const expired = (): IdError => noIdWithin(from, deadlineMs, failure.current?.error ?? tooSlow());
    const demand = new Demand<T>({ deadlineMs, toId, expired });
    const windows = new HeldWindows(layout, idClock, (stamp, slot) => format.begin(stamp, slot));
    const keeper = new Keeper({
      ...options,
      tenancy: new MovingTenancy(options),
      windows,
      demand,
      failure,
      now: clock,
      releaseMs: Math.min(WINDOW_MS, deadlineMs),
      emit: journal.emit,
    });
    super({
      guarantees: options.guarantees,
      lifecycle: new Lifecycle(strategy),
      demand,
      supply: new WindowSupply({ ...options, keeper, windows, demand, failure }),
      assertBatch: assertBatchCount,
      held: windows,
      toId,
      waits: new WaitReport(name, journal.emit),
    });
    this.#options = options;
    this.#windows = windows;
    this.#keeper = keeper;
    this.#failure = failure;
    this.#journal = journal;
  }

  /**
   * Claims a slot. Rejects if that is not possible within the deadline; then the generator must be closed. A
   * table that is slow may answer the next attempt; one that fails for another reason is an error at once.
   */
  async open(): Promise<void> {
    const { name, deadlineMs } = this.#options;
    const late = (): IdError => this.#failure.current?.error ?? noAnswer(name, deadlineMs);
    await withTimeout(deadlineMs, undefined, late, () => this.#claimed());
  }

  async #claimed(): Promise<void> {
    await this.#keeper.start();
    for (let { current } = this.#failure; current !== undefined; { current } = this.#failure) {
      if (!MAY_PASS.has(current.error.code)) throw current.error;
      await this.#keeper.nextStep();
    }
  }

  /** Reports what the table is not set up to survive. */
  warn(messages: readonly string[]): void {
    const { name } = this.#options;
    for (const message of messages) this.#journal.emit({ type: 'warning', name, message });
  }

  health(): Health {
    if (this.lifecycle.closed) return { status: 'closed', remaining: 0 };
    const remaining = this.#windows.remaining();
    const health = healthOf({
      remaining,
      secondsLeft: remaining > 0 ? this.#windows.timeLeft() / 1_000 : undefined,
      failure: this.#failure.current ?? starvedFailure(this.#starvedMs, tooSlow),
    });
    return { ...health, ...this.#journal.regression };
  }

  counters(): SnowflakeCounters {
    return { ...this.#journal.counts, idsIssued: this.#windows.taken, notReady: this.notReady };
  }

  /** A new slot takes its wait; whoever waits for longer does not get any. */
  get #starvedMs(): number | undefined {
    const ms = this.demand.calls.starvedMs ?? 0;
    return ms <= REACH_MS + 1_000 ? undefined : ms;
  }
}

function tooSlow(): IdError {
  return new IdError('ERR_IDS_TIMEOUT', 'no window of time with room for that many ids arrived in time');
}
