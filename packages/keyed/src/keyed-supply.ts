import { type IdError, isIdError } from '@ids/core';
import {
  attemptMs,
  backOffMs,
  callersAskedAgain,
  endOfTurn,
  type LastFailure,
  PAUSE_MS,
  RetryLoop,
} from '@ids/waiting';
import { type Granted, giveGranted, noteGranted } from './granted.js';
import { sourceError, stillLocked, tooManyNewKeys } from './keyed-errors.js';
import { KeyedRequests, type KeyedRequestsOptions } from './keyed-requests.js';
import type { KeyAnswer } from './keyed-source.js';
import type { Lane } from './lane.js';
import { NewKeyLimit } from './new-key-limit.js';

export interface KeyedSupplyOptions extends KeyedRequestsOptions {
  /** Whether the source is closed in the end; default false. */
  readonly closeSource?: boolean | undefined;
  /** The most ids of one key that one statement reserves: a larger batch needs several. */
  readonly maxStep: number;
  /**
   * The most ids of one key that are in flight or held for a batch that waits for others; no bound by
   * default.
   */
  readonly maxIdsLost?: number | undefined;
  /** How many keys may begin in a second; no limit by default. */
  readonly maxNewKeysPerSecond?: number | undefined;
  /** How long callers wait, in milliseconds. */
  readonly deadlineMs: number;
  /** Where failures of the whole source go. */
  readonly failure: LastFailure;
  /** Called when the source has answered. */
  readonly onAnswer: () => void;
  /** Called when nothing waits for ids of this key any more. */
  readonly idle: (lane: Lane<unknown>) => void;
  /** No more ids will come, for the reason `error`. */
  readonly refuse: (error: IdError) => void;
}

/** The most keys in one statement: more make it slower for everybody, and no cheaper per key. */
const MOST_KEYS = 500;
/** As few as this are not worth another statement. */
const FEW_KEYS = 50;
/**
 * While so many statements for many keys are under way, another one is sent for this many keys and more. Each
 * statement costs the server as much as 20 keys, so fewer than that wait for the next one.
 */
const PAIR = 2;
const MANY_KEYS = 128;
/**
 * How many statements for many keys are under way at once, and how many that wait for one locked key each.
 */
const SHARED = 4;
const ALONE = 3;
/** While other locked keys wait for their turn, one is waited for this long, in milliseconds. */
const CROWDED_MS = 500;

/**
 * Reserves ids for the lanes that wait: one statement for all keys that were asked for in the same turn. A
 * key is in one statement at a time, so its ids increase in the order of the calls. A key that somebody else
 * has locked is waited for on the side, in a statement of its own, and so stops no other key.
 */
export class KeyedSupply {
  readonly #options: KeyedSupplyOptions;
  readonly #requests: KeyedRequests;
  readonly #limit: NewKeyLimit;
  /** Lanes that wait, and are in no statement. */
  readonly #waiting = new Set<Lane<unknown>>();
  /** Those of them whose key was locked. */
  readonly #locked = new Set<Lane<unknown>>();
  /** Those whose key is new, until it may begin, and those whose answer would have come later, and failed. */
  readonly #postponed = new Set<Lane<unknown>>();
  readonly #shared: readonly RetryLoop[];
  readonly #alone: readonly RetryLoop[];
  /** Whether a loop has been started that has not looked at the lanes yet. */
  #gathering = false;
  #answered = false;
  /** How many answers in a row that were to come later have failed. */
  #failures = 0;
  #resume: NodeJS.Timeout | undefined;

  constructor(options: KeyedSupplyOptions) {
    this.#options = options;
    const { maxNewKeysPerSecond, failure, signal } = options;
    this.#requests = new KeyedRequests(options);
    this.#limit = new NewKeyLimit(maxNewKeysPerSecond);
    const sender = (first: boolean): RetryLoop =>
      new RetryLoop({
        // At the end of this turn of the event loop, so that all calls of the turn share the statement.
        joined: endOfTurn,
        // A source that failed is asked by one of them only, and until it answers, so that `health` does not
        // stay `down`.
        needed: () => {
          const { current } = failure;
          if (current !== undefined) return first && (this.#waiting.size > 0 || current.error.retryable);
          return this.#waiting.size > 0 || (first && !this.#answered);
        },
        attempt: async (failures) => {
          this.#gathering = false;
          await this.#reserveShared(failures);
          await callersAskedAgain();
        },
        failed: (error) => this.#fail(error),
        ended: () => {
          this.#gathering = false;
        },
        pause: PAUSE_MS,
        signal,
      });
    this.#shared = Array.from({ length: SHARED }, (_, index) => sender(index === 0));
    this.#alone = Array.from({ length: ALONE }, () => {
      return new RetryLoop({
        joined: () => Promise.resolve(),
        needed: () => this.#locked.size > 0,
        attempt: (failures) => this.#reserveAlone(failures),
        failed: () => {},
        pause: PAUSE_MS,
        signal,
      });
    });
  }

  /** Whether the source has answered yet. */
  get answered(): boolean {
    return this.#answered;
  }

  get isReady(): boolean {
    return this.#answered && this.#options.failure.current === undefined;
  }

  /** A call has begun to wait in `lane`. */
  replenish(lane: Lane<unknown>): void {
    if (lane.asked || this.#locked.has(lane) || this.#postponed.has(lane)) return;
    this.#waiting.add(lane);
    this.start();
  }

  /** Asks the source, if it is needed. It returns at once. */
  start(): void {
    if (this.#gathering) return;
    const loop = this.#shared.find(({ running }) => !running);
    if (loop === undefined || (this.#underWay >= PAIR && this.#waiting.size < MANY_KEYS)) return;
    this.#gathering = true;
    loop.start();
  }

  /** How many statements for many keys are under way, or about to be. */
  get #underWay(): number {
    return this.#shared.filter(({ running }) => running).length;
  }

  async stop(): Promise<void> {
    clearTimeout(this.#resume);
    await Promise.all([...this.#shared, ...this.#alone].map(({ ended }) => ended));
    const { source, closeSource = false } = this.#options;
    if (closeSource) await source.close();
  }

  async #reserveShared(failures: number): Promise<void> {
    // Without another one under way, half is for the next one, which the server can run at the same time.
    const { size } = this.#waiting;
    const most = this.#underWay < PAIR ? Math.max(FEW_KEYS, size / 2) : size;
    const lanes = this.#take(this.#waiting, Math.min(MOST_KEYS, most));
    if (this.#waiting.size > 0) this.start();
    const { deadlineMs } = this.#options;
    try {
      // For `ready`, or while calls fail.
      if (lanes.length === 0) await this.#describe(attemptMs(deadlineMs, failures));
      else await this.#reserve(lanes, attemptMs(deadlineMs, failures), false);
    } catch (error) {
      for (const lane of lanes) {
        lane.asked = false;
        this.#waiting.add(lane);
      }
      throw error;
    }
  }

  async #reserveAlone(failures: number): Promise<void> {
    const [lane] = this.#take(this.#locked, 1);
    if (lane === undefined) return;
    const ms = attemptMs(this.#options.deadlineMs, failures);
    try {
      await this.#reserve([lane], this.#locked.size > 0 ? Math.min(ms, CROWDED_MS) : ms, true);
    } catch (error) {
      lane.asked = false;
      if (isIdError(error) && error.code === 'ERR_IDS_TIMEOUT') {
        lane.delay = stillLocked(this.#options.name, lane.key, error);
        this.#locked.add(lane);
      } else {
        // It may concern all keys.
        this.replenish(lane);
      }
      throw error;
    }
  }

  /**
   * Removes up to `most` lanes, the oldest first, from those that wait; forgets those that do not any more.
   */
  #take(from: Set<Lane<unknown>>, most: number): Lane<unknown>[] {
    const lanes: Lane<unknown>[] = [];
    for (const lane of from) {
      if (lanes.length >= most) break;
      from.delete(lane);
      if (lane.wanted > 0) {
        lane.asked = true;
        lanes.push(lane);
      } else {
        this.#forget(lane);
      }
    }
    return lanes;
  }

  /** Reserves ids for the calls that wait in `lanes` now. */
  async #reserve(lanes: readonly Lane<unknown>[], timeoutMs: number, wait: boolean): Promise<void> {
    const { maxStep, maxIdsLost = Number.POSITIVE_INFINITY } = this.#options;
    const requests = lanes.map((lane) => lane.request(maxStep, maxIdsLost));
    const newKeys = this.#limit.take(lanes, wait);
    const startedAt = performance.now();
    let answers: readonly KeyAnswer[] = [];
    try {
      answers = await this.#requests.reserve(requests, { wait, newKeys }, timeoutMs);
      this.#settle(lanes, answers, startedAt);
    } finally {
      if (newKeys !== undefined) this.#limit.settle(newKeys, answers);
    }
    this.#sourceAnswered();
  }

  async #describe(timeoutMs: number): Promise<void> {
    await this.#requests.describe(timeoutMs);
    this.#sourceAnswered();
  }

  /** Gives each lane what was reserved for it. */
  #settle(lanes: readonly Lane<unknown>[], answers: readonly KeyAnswer[], startedAt: number): void {
    const granted: [Lane<unknown>, Granted][] = [];
    for (const [i, lane] of lanes.entries()) {
      const answer = answers[i];
      if (answer !== undefined && 'high' in answer) granted.push([lane, answer]);
      if (answer !== undefined && 'later' in answer) void this.#settleLater(lane, answer.later, startedAt);
      else this.#settleOne(lane, answer);
    }
    noteGranted(granted, performance.now() - startedAt, this.#options);
  }

  /** A failure of what comes later concerns no key whose answer has come. */
  async #settleLater(lane: Lane<unknown>, later: Promise<KeyAnswer>, startedAt: number): Promise<void> {
    const { name, journal } = this.#options;
    try {
      const answer = await later;
      this.#failures = 0;
      this.#settle([lane], [answer], startedAt);
    } catch (cause) {
      const error = sourceError(name, cause);
      lane.asked = false;
      lane.delay = error;
      journal.emit({ type: 'reserve-failed', name, error });
      if (!error.retryable) while (lane.wanted > 0) lane.failNext(error);
      this.#hold(lane, backOffMs(this.#failures++, PAUSE_MS));
    }
  }

  #settleOne(lane: Lane<unknown>, answer: Exclude<KeyAnswer, { later: unknown }> | undefined): void {
    lane.asked = false;
    if (answer === undefined || 'missed' in answer) {
      if (answer?.missed === 'new') this.#postpone(lane);
      else if (answer?.missed === 'late') this.replenish(lane);
      else this.#goAlone(lane);
      return;
    }
    this.#limit.forget(lane);
    if ('refused' in answer) while (lane.wanted > 0) lane.failNext(answer.refused);
    else giveGranted(lane, answer, this.#options);
    if (lane.wanted > 0) this.replenish(lane);
    else this.#forget(lane);
  }

  #forget(lane: Lane<unknown>): void {
    this.#limit.forget(lane);
    this.#options.idle(lane);
  }

  #goAlone(lane: Lane<unknown>): void {
    this.#locked.add(lane);
    this.#alone.find(({ running }) => !running)?.start();
  }

  /** One new key more than may begin now. */
  #postpone(lane: Lane<unknown>): void {
    const { name, maxNewKeysPerSecond } = this.#options;
    lane.delay = tooManyNewKeys(name, lane.key, maxNewKeysPerSecond);
    this.#hold(lane, this.#limit.postpone(lane));
  }

  /** Asks for it again after a pause; sooner if others are due. */
  #hold(lane: Lane<unknown>, pauseMs: number): void {
    this.#postponed.add(lane);
    this.#resume ??= setTimeout(() => {
      this.#resume = undefined;
      for (const those of this.#take(this.#postponed, Number.POSITIVE_INFINITY)) {
        those.asked = false;
        this.replenish(those);
      }
    }, pauseMs);
  }

  #sourceAnswered(): void {
    this.#answered = true;
    this.#options.failure.clear();
    this.#options.onAnswer();
  }

  #fail(cause: unknown): void {
    const { name, journal, failure, refuse } = this.#options;
    const error = sourceError(name, cause);
    failure.record(error);
    journal.emit({ type: 'reserve-failed', name, error });
    if (!error.retryable) refuse(error);
    // From now on, only the first one asks.
    this.#shared[0]?.start();
  }
}
