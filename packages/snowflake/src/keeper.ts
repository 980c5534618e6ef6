import { setTimeout as delay } from 'node:timers/promises';
import { IdError, isIdError } from '@ids/core';
import { backOffMs, within } from '@ids/segment/table';
import type { SnowflakeEvent } from './events.js';
import type { HeldWindows, MonotonicClock, Window } from './held-windows.js';
import { endOfTime, type Layout, slotsOf } from './layout.js';
import type { Granted, Holder, NoneFree, Refused, ReignChange, SlotTable } from './slot-table.js';
import type { Tenancy } from './tenancy.js';
import { REACH_MS, WINDOW_MS } from './windows.js';

export interface KeeperOptions {
  readonly name: string;
  readonly layout: Layout;
  readonly table: SlotTable;
  readonly tenancy: Tenancy;
  readonly held: HeldWindows;
  readonly now: MonotonicClock;
  /**
   * How long the first step and giving the slot back may take, in milliseconds: callers wait for these. Every
   * other step may take as long as a window, however short the deadlines of callers are. It is asked for in
   * time, and a table that is too slow for callers can be fast enough to keep the slot.
   */
  readonly timeoutMs: number;
  readonly emit: (event: SnowflakeEvent) => void;
  /** Called when a window was added. */
  readonly arrived: () => void;
  /** Called when a step failed. The next one follows after a pause. */
  readonly failed: (error: IdError) => void;
}

/** How a failure and its time are remembered, for `health`. */
export interface KeeperFailure {
  readonly error: IdError;
  readonly at: Date;
}

const FIRST_PAUSE_MS = 50;
const LAST_PAUSE_MS = 1_000;

/** Keeps a slot: asks the table what the tenancy says, one step at a time, until it is stopped. */
export class Keeper {
  readonly #options: KeeperOptions;
  readonly #stopped = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #asking: Promise<void> | undefined;
  #waited = false;
  #failures = 0;
  #steps = 0;
  #failure: KeeperFailure | undefined;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** How the last step failed; undefined if it did not. */
  get failure(): KeeperFailure | undefined {
    return this.#failure;
  }

  /** Makes the first step; the others follow by themselves. Resolves after the first one. */
  start(): Promise<void> {
    this.#asking = this.#ask(this.#options.timeoutMs);
    return this.#asking;
  }

  /** Resolves after the next step. */
  async nextStep(): Promise<void> {
    const before = this.#steps;
    while (this.#steps === before && !this.#stopped.signal.aborted) {
      const pauseMs = Math.max(1, this.#options.tenancy.step.at - this.#options.now());
      await delay(pauseMs, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
      await this.#asking;
    }
  }

  /** Whether calls wait: only then does a step that is due keep the process alive. */
  set waited(waited: boolean) {
    this.#waited = waited;
    if (waited) this.#timer?.ref();
    else this.#timer?.unref();
  }

  /**
   * Ends it and gives the slot back. Resolves when nothing is under way any more; a failure does not
   * matter.
   */
  async stop(): Promise<void> {
    this.#stopped.abort();
    clearTimeout(this.#timer);
    await this.#asking;
    const { table, tenancy, timeoutMs } = this.#options;
    const { toRelease } = tenancy;
    if (toRelease === undefined) return;
    const { slot, owner } = toRelease;
    await this.#within(timeoutMs, undefined, (signal) => table.release(slot, owner, { signal })).catch(
      () => undefined,
    );
  }

  #schedule(): void {
    if (this.#stopped.signal.aborted) return;
    const { tenancy, now } = this.#options;
    const pauseMs = Math.max(0, Math.ceil(tenancy.step.at - now()));
    this.#timer = setTimeout(() => {
      this.#asking = this.#ask(WINDOW_MS);
    }, pauseMs);
    if (!this.#waited) this.#timer.unref();
  }

  async #ask(timeoutMs: number): Promise<void> {
    const { tenancy, now } = this.#options;
    const askedAt = now();
    try {
      await this.#within(timeoutMs, this.#stopped.signal, (signal) => this.#step(askedAt, signal));
      this.#failures = 0;
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      const pauseMs = backOffMs(this.#failures, { first: FIRST_PAUSE_MS, last: LAST_PAUSE_MS });
      tenancy.unanswered(now() + pauseMs);
      this.#failures += 1;
      this.#fail(this.#asIdError(error));
    }
    this.#steps += 1;
    this.#schedule();
  }

  async #step(askedAt: number, signal: AbortSignal): Promise<void> {
    const { table, tenancy, name, layout, emit } = this.#options;
    const { step } = tenancy;
    if (step.do === 'claim') {
      const answer = await table.claim(step.owner, { signal });
      signal.throwIfAborted();
      const waitMs = tenancy.claimed(answer, askedAt);
      if (!('slot' in answer)) return this.#fail(noneFree(name, layout, answer));
      this.#failure = undefined;
      this.#noteReign(answer, answer.slot);
      emit({ type: 'claim', name, slot: answer.slot, waitMs });
      return;
    }
    const answer =
      step.do === 'open'
        ? await table.open(step.slot, step.owner, step.waitMs, { signal })
        : await table.renew(step.slot, step.owner, step.until, { signal });
    // An answer that comes after the time limit is not used: the same was asked again.
    signal.throwIfAborted();
    tenancy.answered(answer, askedAt);
    this.#noteReign(answer, step.slot);
    if ('window' in answer) this.#granted(answer, step.do === 'renew' ? step.until : 0, askedAt);
    else this.#refused(answer, step.slot);
  }

  #granted(granted: Granted, floor: number, askedAt: number): void {
    const { layout, held, name, emit, arrived, now } = this.#options;
    const { window, stoodAt } = granted;
    if (stoodAt < floor) emit({ type: 'regression', name, slot: window.slot, floor, stoodAt });
    const problem = timeProblem(name, layout, window);
    if (problem !== undefined) {
      this.#fail(problem);
      return;
    }
    this.#failure = undefined;
    held.add(window, granted.now, askedAt);
    emit({ type: 'window', name, window, tookMs: now() - askedAt });
    arrived();
  }

  #refused({ refusal, againMs }: Refused, slot: number): void {
    const { name, emit } = this.#options;
    if (refusal === 'lapsed' || refusal === 'lost') emit({ type: 'lapse', name, slot, reason: refusal });
    // Callers alone cannot use up more than a window in advance.
    if (refusal === 'ahead' && againMs > WINDOW_MS) this.#fail(clockWentBack(name, slot, againMs));
  }

  #noteReign({ newReign }: { readonly newReign?: ReignChange | undefined }, slot: number): void {
    if (newReign === undefined) return;
    this.#options.emit({ type: 'new-reign', name: this.#options.name, slot, cause: newReign });
  }

  #fail(error: IdError): void {
    const { name, emit, failed } = this.#options;
    this.#failure = { error, at: new Date() };
    emit({ type: 'window-failed', name, error });
    failed(error);
  }

  #within<T>(
    timeoutMs: number,
    parent: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { name } = this.#options;
    const tooSlow = (): IdError =>
      new IdError('ERR_IDS_TIMEOUT', `slots "${name}": the table did not answer within ${timeoutMs} ms`);
    return within(timeoutMs, parent, tooSlow, work);
  }

  #asIdError(cause: unknown): IdError {
    if (isIdError(cause)) return cause;
    return new IdError('ERR_IDS_UNAVAILABLE', `slots "${this.#options.name}": the table failed`, { cause });
  }
}

/** At most so many holders are named. */
const NAMED_HOLDERS = 10;

function noneFree(name: string, layout: Layout, { now, slots, holders }: NoneFree): IdError {
  // No grant ends later than this after it was made.
  const ahead = holders.filter(({ until }) => until.getTime() > now + REACH_MS);
  if (ahead.length > 0) return behindTheSlots(name, layout, now, slots, ahead);
  const named = holders.slice(0, NAMED_HOLDERS).map(({ slot, label, since, until }) => {
    const time = `time until ${until.toISOString()}`;
    // Released, or lost by a restored row: its time passes all the same.
    if (label === '') return `${slot} by nobody (released, ${time})`;
    return `${slot} by ${label} (since ${since.toISOString()}, ${until > since ? time : 'no time yet'})`;
  });
  const more = holders.length > NAMED_HOLDERS ? `, and ${holders.length - NAMED_HOLDERS} more` : '';
  return new IdError(
    'ERR_IDS_EXHAUSTED',
    `slots "${name}": all ${slots} are held: ${named.join(', ')}${more}; close generators that are not needed` +
      orMoreSlots(layout, slots),
  );
}

function behindTheSlots(
  name: string,
  layout: Layout,
  now: number,
  slots: number,
  ahead: readonly Holder[],
): IdError {
  const ends = ahead.map(({ until }) => until.getTime());
  const [clock, first, last] = [now, Math.min(...ends), Math.max(...ends)].map((ms) =>
    new Date(ms).toISOString(),
  );
  return new IdError(
    'ERR_IDS_CLOCK',
    `slots "${name}": none of ${slots} is free: ${ahead.length} have time up to ${last}, and the database's clock shows ` +
      `${clock}: it went back. If it is wrong now, set it right; if it was wrong before, wait until ${first}` +
      orMoreSlots(layout, slots),
  );
}

function orMoreSlots(layout: Layout, slots: number): string {
  const most = slotsOf(layout);
  return slots < most ? `, or create more slots with createSlots: the layout has ${most}` : '';
}

function timeProblem(name: string, layout: Layout, { from, until }: Window): IdError | undefined {
  if (from < layout.epoch) {
    const [now, epoch] = [from, layout.epoch].map((ms) => new Date(ms).toISOString());
    return new IdError(
      'ERR_IDS_CLOCK',
      `slots "${name}": the database's clock shows ${now}, before the epoch ${epoch}`,
    );
  }
  if (until <= endOfTime(layout)) return undefined;
  const end = new Date(endOfTime(layout)).toISOString();
  return new IdError('ERR_IDS_EXHAUSTED', `slots "${name}": the layout ends at ${end}`);
}

function clockWentBack(name: string, slot: number, againMs: number): IdError {
  return new IdError(
    'ERR_IDS_CLOCK',
    `slots "${name}": time was granted to slot ${slot} that the database's clock reaches in ${againMs} ms: it went back. ` +
      'If it is wrong now, set it right; if it was wrong before, wait, or start the process anew, so that it takes ' +
      'another slot',
  );
}
