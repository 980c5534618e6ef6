import { setTimeout as delay } from 'node:timers/promises';
import { IdError, type IdErrorCode, isIdError } from '@ids/core';
import { type Demand, type LastFailure, PAUSE_MS, RetryLoop, withTimeout } from '@ids/waiting';
import { endOfTime, isoOf, type Layout, slotsOf } from '../ids/layout.js';
import type { SnowflakeEvent } from './events.js';
import type { HeldWindows, MonotonicClock, Window } from './held-windows.js';
import { AWAKENED_MS, REACH_MS, WINDOW_MS } from './lengths.js';
import type { Answer, Granted, Holder, NoneFree, Refused, SlotTable } from './slot-table.js';
import type { Tenant } from './tenancy.js';

export interface KeeperOptions {
  readonly name: string;
  readonly layout: Layout;
  readonly table: SlotTable;
  readonly tenancy: Tenant;
  /** Where windows go, whose ids serve `demand`. */
  readonly windows: HeldWindows;
  readonly demand: Demand<unknown>;
  /** Where failures go. */
  readonly failure: LastFailure;
  readonly now: MonotonicClock;
  /**
   * How long giving the slot back may take, in milliseconds: `close` waits for it. A step may take as long as
   * a window, however short the deadlines of callers are. It is asked for in time, and a table that is too
   * slow for callers can be fast enough to keep the slot.
   */
  readonly releaseMs: number;
  readonly emit: (event: SnowflakeEvent) => void;
}

/** How many steps ask in haste after the process stood still: a pool has two connections. */
const HASTY_STEPS = 2;

/**
 * Keeps a slot: asks the table what the tenancy says, one step at a time, until it is stopped. A step that is
 * due does not keep the process alive; calls that wait for it do.
 */
export class Keeper {
  readonly #options: KeeperOptions;
  readonly #stopped = new AbortController();
  readonly #loop: RetryLoop;
  /** Called after the next step. */
  #watchers: (() => void)[] = [];
  #hastySteps = 0;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#loop = new RetryLoop({
      joined: () => Promise.resolve(),
      needed: () => true,
      attempt: () => this.#dueStep(),
      failed: (error) => {
        this.#fail(this.#asIdError(error));
        this.#stepped();
      },
      pause: PAUSE_MS,
      signal: this.#stopped.signal,
    });
  }

  /** Makes the first step; the others follow by themselves. Resolves after the first one. */
  start(): Promise<void> {
    const first = this.nextStep();
    this.#loop.start();
    return first;
  }

  /** Resolves after the next step, whatever became of it. */
  nextStep(): Promise<void> {
    return new Promise((resolve) => this.#watchers.push(resolve));
  }

  /**
   * Ends it and gives the slot back. Resolves when nothing is under way any more; a failure does not
   * matter.
   */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#loop.ended;
    this.#stepped();
    const { name, table, tenancy, releaseMs } = this.#options;
    const { toRelease } = tenancy;
    if (toRelease === undefined) return;
    const { slot, token } = toRelease;
    const release = (signal: AbortSignal) => table.release(slot, token, { signal });
    await askTable(name, releaseMs, undefined, release).catch(() => undefined);
  }

  /** The next step, when it is due. */
  async #dueStep(): Promise<void> {
    const { name, tenancy, now } = this.#options;
    const { signal } = this.#stopped;
    const pausedAt = now();
    const pauseMs = Math.max(0, Math.ceil(tenancy.next.at - pausedAt));
    if (pauseMs > 0) await delay(pauseMs, undefined, { ref: false, signal });
    const askedAt = now();
    this.#noteStandstill(askedAt - pausedAt - pauseMs);
    const limitMs = this.#hastySteps > 0 ? AWAKENED_MS : WINDOW_MS;
    try {
      await askTable(name, limitMs, signal, (ended) => this.#step(askedAt, ended));
      this.#hastySteps = 0;
    } catch (error) {
      this.#hastySteps -= 1;
      this.#noteStandstill(now() - askedAt - limitMs);
      tenancy.unanswered(now());
      throw error;
    }
    this.#stepped();
  }

  /** A timer was late by `lateMs`: for longer than a window, this process was frozen, or its machine. */
  #noteStandstill(lateMs: number): void {
    if (lateMs > WINDOW_MS) this.#hastySteps = HASTY_STEPS;
  }

  #stepped(): void {
    const watchers = this.#watchers;
    this.#watchers = [];
    for (const watcher of watchers) watcher();
  }

  async #step(askedAt: number, signal: AbortSignal): Promise<void> {
    const { table, tenancy, name, layout, emit } = this.#options;
    const { next } = tenancy;
    if (next.do === 'claim') {
      const { undoubted } = next;
      const answer = await table.claim(next.token, { signal, undoubted });
      signal.throwIfAborted();
      const waitMs = tenancy.claimed(answer, askedAt);
      if (!('slot' in answer)) {
        // It has a slot.
        if (!undoubted) this.#fail(noneFree(name, layout, answer));
        return;
      }
      this.#options.failure.clear();
      this.#noteReign(answer, answer.slot);
      emit({ type: 'claim', name, slot: answer.slot, waitMs });
      return;
    }
    const answer =
      next.do === 'open'
        ? await table.open(next.slot, next.token, next.waitMs, { signal })
        : await table.renew(next.slot, next.token, next.until, { signal });
    // An answer that comes after the time limit is not used: the same was asked again.
    signal.throwIfAborted();
    const window = tenancy.answered(answer, askedAt);
    this.#noteReign(answer, next.slot);
    if (!('window' in answer)) this.#refused(answer, next.slot);
    else if (window !== undefined) {
      const floor = next.do === 'renew' ? next.until : 0;
      this.#granted({ ...answer, window }, floor, askedAt);
    }
  }

  #granted(granted: Granted, floor: number, askedAt: number): void {
    const { layout, windows, demand, name, emit, now, failure } = this.#options;
    const { window, stoodAt } = granted;
    if (stoodAt < floor) emit({ type: 'regression', name, slot: window.slot, floor, stoodAt });
    const problem = timeProblem(name, layout, window);
    if (problem !== undefined) {
      this.#fail(problem);
      return;
    }
    failure.clear();
    windows.add(window, granted.now, askedAt);
    emit({ type: 'window', name, window, tookMs: now() - askedAt });
    demand.serve(windows);
    demand.settle(windows);
  }

  #refused({ refusal, againMs }: Refused, slot: number): void {
    const { name, emit } = this.#options;
    if (refusal === 'lapsed' || refusal === 'lost') emit({ type: 'lapse', name, slot, reason: refusal });
    // Callers alone cannot use up more than a window in advance.
    if (refusal === 'ahead' && againMs > WINDOW_MS) this.#fail(clockWentBack(name, slot, againMs));
  }

  #noteReign({ newReign }: Answer, slot: number): void {
    if (newReign === undefined) return;
    this.#options.emit({ type: 'new-reign', name: this.#options.name, slot, cause: newReign });
  }

  #fail(error: IdError): void {
    const { name, emit, failure, demand, windows } = this.#options;
    failure.record(error);
    emit({ type: 'window-failed', name, error });
    if (!error.retryable && error.code !== 'ERR_IDS_EXHAUSTED') demand.refuse(error, windows);
  }

  #asIdError(cause: unknown): IdError {
    if (isIdError(cause)) return cause;
    return slotsError('ERR_IDS_UNAVAILABLE', this.#options.name, 'the table failed', cause);
  }
}

/** Does `work` with the table of slots, for at most `ms` milliseconds. */
export function askTable<T>(
  name: string,
  ms: number,
  parent: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return withTimeout(ms, parent, () => noAnswer(name, ms), work);
}

/** The table of slots did not answer in time. */
export function noAnswer(name: string, ms: number): IdError {
  return slotsError('ERR_IDS_TIMEOUT', name, `the table did not answer within ${ms} ms`);
}

/** An error about the slots of a name. */
export function slotsError(code: IdErrorCode, name: string, why: string, cause?: unknown): IdError {
  return new IdError(code, `slots "${name}": ${why}`, { cause });
}

/** At most so many holders are named. */
const NAMED_HOLDERS = 10;

function noneFree(name: string, layout: Layout, { now, slots, holders }: NoneFree): IdError {
  // No grant ends later than this after it was made.
  const ahead = holders.filter(({ until }) => until.getTime() > now + REACH_MS);
  if (ahead.length > 0) return behindTheSlots(name, layout, now, slots, ahead);
  const named = holders.slice(0, NAMED_HOLDERS).map(({ slot, owner, since, until }) => {
    const time = `time until ${until.toISOString()}`;
    // Released, or lost by a restored row: its time passes all the same.
    if (owner === '') return `${slot} by nobody (released, ${time})`;
    return `${slot} by ${owner} (since ${since.toISOString()}, ${until > since ? time : 'no time yet'})`;
  });
  const more = holders.length > NAMED_HOLDERS ? `, and ${holders.length - NAMED_HOLDERS} more` : '';
  const held = `all ${slots} are held: ${named.join(', ')}${more}; close generators that are not needed`;
  return slotsError('ERR_IDS_EXHAUSTED', name, held + orMoreSlots(layout, slots));
}

function behindTheSlots(
  name: string,
  layout: Layout,
  now: number,
  slots: number,
  ahead: readonly Holder[],
): IdError {
  const ends = ahead.map(({ until }) => until.getTime());
  const [clock, first, last] = [now, Math.min(...ends), Math.max(...ends)].map(isoOf);
  const why =
    `none of ${slots} is free: ${ahead.length} have time up to ${last}, and the database's clock shows ${clock}: ` +
    `it went back. If it is wrong now, set it right; if it was wrong before, wait until ${first}`;
  return slotsError('ERR_IDS_CLOCK', name, why + orMoreSlots(layout, slots));
}

function orMoreSlots(layout: Layout, slots: number): string {
  const most = slotsOf(layout);
  return slots < most ? `, or create more slots with createSlots: the layout has ${most}` : '';
}

function timeProblem(name: string, layout: Layout, { from, until }: Window): IdError | undefined {
  if (from < layout.epoch) {
    const why = `the database's clock shows ${isoOf(from)}, before the epoch ${isoOf(layout.epoch)}`;
    return slotsError('ERR_IDS_CLOCK', name, why);
  }
  if (until <= endOfTime(layout)) return undefined;
  return slotsError('ERR_IDS_EXHAUSTED', name, `the layout ends at ${isoOf(endOfTime(layout))}`);
}

function clockWentBack(name: string, slot: number, againMs: number): IdError {
  const why =
    `time was granted to slot ${slot} that the database's clock reaches in ${againMs} ms: it went back. If it is wrong now, ` +
    'set it right; if it was wrong before, wait, or start the process anew, so that it takes another slot';
  return slotsError('ERR_IDS_CLOCK', name, why);
}
