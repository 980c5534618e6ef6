import { IdError, isIdError } from '@ids/core';
import { KnownReigns, meet, type NewReign, orReinstated, type Reinstating } from '@ids/segment';
import type { Origin } from '@ids/store';
import {
  attemptMs,
  backOffMs,
  callersAskedAgain,
  endOfTurn,
  type LastFailure,
  PAUSE_MS,
  RetryLoop,
  withTimeout,
} from '@ids/waiting';
import type { KeyedNotes } from './keyed-events.js';
import { type KeyAnswer, type KeyedAnswer, type KeyedSource, sequenceOf } from './keyed-source.js';
import type { Lane } from './lane.js';
import { NewKeyLimit } from './new-key-limit.js';

export interface KeyedSupplyOptions {
  readonly source: KeyedSource;
  /** Whether it is closed in the end; default false. */
  readonly closeSource?: boolean | undefined;
  /** The family. */
  readonly name: string;
  /** What is known about the family when the generator is opened. */
  readonly origin?: Origin | undefined;
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
  /** How long a former primary is refused, in milliseconds; a minute by default. */
  readonly refuseFormerPrimaryMs?: number | undefined;
  readonly journal: KeyedNotes;
  /** Where failures of the whole source go. */
  readonly failure: LastFailure;
  /** Called when the source has answered. */
  readonly onAnswer: () => void;
  /** Called when nothing waits for ids of this key any more. */
  readonly idle: (lane: Lane<unknown>) => void;
  /** No more ids will come, for the reason `error`. */
  readonly refuse: (error: IdError) => void;
  /** Ends everything when it aborts. */
  readonly signal: AbortSignal;
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
  readonly #known: KnownReigns;
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
    const { name, origin, refuseFormerPrimaryMs, maxNewKeysPerSecond, failure, signal } = options;
    this.#known = new KnownReigns(name, origin, refuseFormerPrimaryMs, 'wait');
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

  /**
   * Reserves ids for the calls that wait in `lanes` now. An answer that never comes costs its ids, and the
   * next attempt reserves others, which are greater. One that comes after its time limit is not used.
   */
  async #reserve(lanes: readonly Lane<unknown>[], timeoutMs: number, wait: boolean): Promise<void> {
    const { source, name, maxStep, maxIdsLost = Number.POSITIVE_INFINITY, signal } = this.#options;
    const requests = lanes.map((lane) => lane.request(maxStep, maxIdsLost));
    const newKeys = this.#limit.take(lanes, wait);
    const startedAt = performance.now();
    let answers: readonly KeyAnswer[] = [];
    try {
      const { keys, origin } = await withTimeout(
        timeoutMs,
        signal,
        () => tooSlow(name, timeoutMs),
        (signal) => {
          const reserve = (within: Origin): Promise<KeyedAnswer> =>
            source.reserve(name, requests, { wait, newKeys, timeoutMs, within, signal });
          return orReinstated(() => this.#known.reserve(reserve), this.#reinstating(timeoutMs, signal));
        },
      );
      if (origin !== undefined) this.#known.accept(origin);
      answers = keys;
      this.#settle(lanes, keys, startedAt);
    } finally {
      if (newKeys !== undefined) this.#settleNew(newKeys, answers);
    }
    this.#sourceAnswered();
  }

  /** Gives back, of the keys that a request was allowed to begin, those that it did not. */
  #settleNew(newKeys: number, answers: readonly KeyAnswer[]): void {
    const later = answers.flatMap((answer) => ('later' in answer ? [answer.later] : []));
    const begun = answers.filter(isNew).length;
    if (later.length === 0) {
      this.#limit.settle(newKeys, begun);
      return;
    }
    void Promise.allSettled(later).then((settled) => {
      const begunLater = settled.filter((one) => one.status === 'fulfilled' && isNew(one.value));
      this.#limit.settle(newKeys, begun + begunLater.length);
    });
  }

  /** Gives each lane what was reserved for it. */
  #settle(lanes: readonly Lane<unknown>[], answers: readonly KeyAnswer[], startedAt: number): void {
    const { name, journal } = this.#options;
    const changed = new Map<NewReign['cause'], string[]>();
    let [ids, newKeys, keys] = [0, 0, 0];
    for (const [i, lane] of lanes.entries()) {
      const answer = answers[i];
      if (answer !== undefined && 'high' in answer) {
        keys += 1;
        ids += lane.size;
        if (answer.isNew) newKeys += 1;
        const { newReign } = answer;
        if (newReign !== undefined) changed.set(newReign, [...(changed.get(newReign) ?? []), lane.key]);
      }
      if (answer !== undefined && 'later' in answer) void this.#settleLater(lane, answer.later, startedAt);
      else this.#settleOne(lane, answer);
    }
    const tookMs = performance.now() - startedAt;
    if (keys > 0) journal.emit({ type: 'reserve', name, keys, newKeys, ids, tookMs });
    for (const [cause, those] of changed) journal.emit({ type: 'new-reign', name, cause, keys: those });
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
    else this.#give(lane, answer.high, answer.ids);
    if (lane.wanted > 0) this.replenish(lane);
    else this.#forget(lane);
  }

  #forget(lane: Lane<unknown>): void {
    this.#limit.forget(lane);
    this.#options.idle(lane);
  }

  #give(lane: Lane<unknown>, high: number, ids: readonly number[] | undefined): void {
    const { name, journal } = this.#options;
    const { key, size, top: floor } = lane;
    const segment = { low: high - size + 1, high };
    const rest = lane.giveUpTo(high, ids);
    if (rest === undefined) {
      journal.emit({ type: 'regression', name, key, floor, segment });
      journal.emit({ type: 'discard', name, key, segment, reason: `ids up to ${floor} were here before` });
    } else if (rest > 0) {
      const dropped = { low: high - rest + 1, high };
      journal.emit({ type: 'discard', name, key, segment: dropped, reason: 'its callers had given up' });
    }
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

  /** For `ready`, or while calls fail: reserves nothing, and looks at who answers. */
  async #describe(ms: number): Promise<void> {
    const { name, signal } = this.#options;
    await withTimeout(
      ms,
      signal,
      () => tooSlow(name, ms),
      (ended) => meet(this.#reinstating(ms, ended)),
    );
    this.#sourceAnswered();
  }

  /** `floor`: no id of a family is issued. */
  #reinstating(timeoutMs: number, signal: AbortSignal): Reinstating {
    const { source, name, journal } = this.#options;
    const endsAt = performance.now() + timeoutMs;
    return { source, name, known: this.#known, floor: 0, onEvent: journal.emit, endsAt, signal };
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

function isNew(answer: KeyAnswer): boolean {
  return 'high' in answer && answer.isNew;
}

function sourceError(name: string, cause: unknown): IdError {
  if (isIdError(cause)) return cause;
  return new IdError('ERR_IDS_UNAVAILABLE', `sequence "${name}": its source failed`, { cause });
}

/** The error for a source that takes longer than its callers wait. */
export function tooSlow(name: string, ms: number): IdError {
  return new IdError('ERR_IDS_TIMEOUT', `sequence "${name}": its source did not answer within ${ms} ms`);
}

/** Why calls wait although nothing failed. */
export function notAnswered(): IdError {
  return new IdError('ERR_IDS_TIMEOUT', 'its source has not answered in that time');
}

function stillLocked(name: string, key: string, cause: IdError): IdError {
  const message = `${sequenceOf(name, key)}: somebody else has locked its row: ${cause.message}`;
  return new IdError('ERR_IDS_TIMEOUT', message, { cause });
}

function tooManyNewKeys(name: string, key: string, perSecond = 0): IdError {
  return new IdError(
    'ERR_IDS_TIMEOUT',
    `${sequenceOf(name, key)}: it is new, and more keys want to begin than the ${perSecond} per second that "maxNewKeysPerSecond" allows`,
  );
}
