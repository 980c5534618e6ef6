import { setTimeout as sleep } from 'node:timers/promises';
import { IdError, isIdError } from '@ids/core';
import type { KeyAnswer, KeyedAnswer, KeyedSource, KeyRequest } from '@ids/keyed';
import {
  type KnownReigns,
  LAST_ID,
  orReinstated,
  type Reinstating,
  type Segment,
  SupersededReignError,
} from '@ids/segment';
import type { Origin } from '@ids/store';
import { withTimeout } from '@ids/waiting';
import { lookAtFormerPrimary } from '../former-primary.js';
import { SETTLE_MS } from '../time-limits.js';
import { type KeyedSegmentRedisDbListener, noAnswer } from './events.js';
import type { KeyInstall, KeyInstalled, KeyLease } from './key-records.js';
import { nextSize, type StepLimits } from './step.js';

/** How many new keys the requests of one call may begin; shared by them. */
export interface Allowance {
  left: number | undefined;
}

/** A key that needs a segment. */
export interface KeyNeed {
  readonly key: string;
  readonly lease: KeyLease;
  /** How many ids its caller waits for; 0: none, the segment is for later. */
  readonly count: number;
  readonly startAfter: number | undefined;
  readonly allowance: Allowance;
}

export interface KeyRefillsOptions extends StepLimits {
  readonly name: string;
  /** Where the segments come from. */
  readonly database: KeyedSource;
  readonly known: KnownReigns;
  readonly install: (installs: readonly KeyInstall[]) => Promise<readonly KeyInstalled[]>;
  /** Remembers ids that were taken. Returns false if they are not above those before: do not use them. */
  readonly note: (key: string, low: number, high: number) => boolean;
  readonly onEvent: KeyedSegmentRedisDbListener;
}

interface Job extends KeyNeed {
  readonly settle: (answer: KeyAnswer | Promise<never>) => void;
  /** When its caller stops waiting, by the monotonic clock. */
  readonly endsAt: number;
}

interface Attempt {
  readonly job: Job;
  request: KeyRequest;
  answer: KeyAnswer;
  /** What was reserved. */
  segment: Segment | undefined;
}

/** How many keys one statement reserves for at most, and how many statements are under way. */
const MOST_KEYS = 500;
const STATEMENTS = 4;

export const LOCKED: KeyAnswer = { missed: 'locked' };

/**
 * Reserves segments for the keys whose leases this process holds, many in one statement, and installs them.
 *
 * A process that stops between the two steps loses its segments: when it goes on, their generation is over,
 * or a later segment is there, or they are installed above everything that was. If it runs twice, it reserves
 * twice, and what does not fit is dropped. If the answer of the database is lost, so are its ids.
 */
export class KeyRefills {
  readonly #options: KeyRefillsOptions;
  #waiting: Job[] = [];
  #unused: KeyNeed[] = [];
  readonly #running = new Set<Promise<void>>();
  /** How many of them ask the database for many keys. */
  #asking = 0;
  readonly #filling = new Map<string, Promise<unknown>>();
  readonly #stop = new AbortController();
  #flush: NodeJS.Immediate | undefined;
  /** Whether the last answer of the database was that of a former primary, and whether that is looked at. */
  #isRefused = false;
  #looking = false;

  constructor(options: KeyRefillsOptions) {
    this.#options = options;
  }

  /** Settles when the segment that is on its way for `key` has arrived or failed; undefined: none is. */
  underWay(key: string): Promise<unknown> | undefined {
    return this.#filling.get(key);
  }

  /**
   * Resolves with the ids that its caller waits for, or with `locked` if somebody else changed the record
   * meanwhile. Rejects as the database does. A key has one segment under way at a time.
   */
  fill(need: KeyNeed, timeoutMs: number): Promise<KeyAnswer> {
    return this.#track(need.key, (settle) => {
      this.#waiting.push({ ...need, settle, endsAt: performance.now() + timeoutMs });
      this.#gather();
    });
  }

  /** The same for one key that is waited for while somebody else has locked its row. */
  fillAlone(need: KeyNeed, timeoutMs: number): Promise<KeyAnswer> {
    return this.#track(need.key, (settle) => {
      this.#run([{ ...need, settle, endsAt: performance.now() + timeoutMs }], true);
    });
  }

  /** Returns the lease of a key that is not refilled now, so that another process can do it. */
  giveBack(need: KeyNeed): void {
    this.#unused.push(need);
    this.#gather();
  }

  /**
   * Waits for what is under way, so that its segments are not lost, then ends it: a database may hang.
   * Nothing begins any more.
   */
  async settle(): Promise<void> {
    clearImmediate(this.#flush);
    const waiting = this.#waiting.splice(0);
    for (const job of waiting) job.settle(LOCKED);
    const unused = [...this.#unused.splice(0), ...waiting];
    if (unused.length > 0) this.#keep(this.#release(unused));
    const enough = new AbortController();
    const pause = sleep(SETTLE_MS, undefined, { signal: enough.signal }).catch(() => {});
    await Promise.race([Promise.all(this.#running), pause]);
    enough.abort();
    this.#stop.abort(new IdError('ERR_IDS_CLOSED', 'the generator was closed'));
    await Promise.all(this.#running);
  }

  #track(key: string, begin: (settle: Job['settle']) => void): Promise<KeyAnswer> {
    const filled = new Promise<KeyAnswer>((resolve) => begin(resolve));
    const done = (): void => {
      if (this.#filling.get(key) === tracked) this.#filling.delete(key);
    };
    const tracked = filled.then(done, done);
    this.#filling.set(key, tracked);
    return filled;
  }

  /** At the end of this turn of the event loop, for all keys of the turn together. */
  #gather(): void {
    this.#flush ??= setImmediate(() => {
      this.#flush = undefined;
      const unused = this.#unused.splice(0);
      if (unused.length > 0) this.#keep(this.#release(unused));
      this.#start();
    });
  }

  #start(): void {
    while (this.#waiting.length > 0 && this.#asking < STATEMENTS) {
      this.#asking += 1;
      const asked = () => {
        this.#asking -= 1;
        this.#start();
      };
      this.#run(this.#waiting.splice(0, MOST_KEYS), false, asked);
    }
  }

  /** `asked`: called when the database has answered, or failed. */
  #run(jobs: readonly Job[], wait: boolean, asked?: () => void): void {
    const installed = this.#reserve(jobs, wait)
      .finally(asked)
      .then((attempts) => this.#install(attempts));
    const ended = installed.catch(async (error) => {
      await this.#release(jobs).finally(() => {
        for (const { settle } of jobs) settle(Promise.reject(error));
      });
    });
    this.#keep(ended);
  }

  /** For `settle`. */
  #keep(work: Promise<void>): void {
    const running = work.then(() => void this.#running.delete(running));
    this.#running.add(running);
  }

  async #reserve(jobs: readonly Job[], wait: boolean): Promise<readonly Attempt[]> {
    const { name, onEvent } = this.#options;
    const startedAt = performance.now();
    const attempts = jobs.map((job): Attempt => {
      const { key, lease, count, startAfter } = job;
      const size = nextSize(lease, count, this.#options);
      return { job, request: { key, size, startAfter }, answer: LOCKED, segment: undefined };
    });
    await this.#ask(attempts, wait);
    const tooMany = attempts.filter(isTooMany);
    for (const one of tooMany) one.request = { ...one.request, size: fewest(one.job) };
    await this.#ask(tooMany, wait);
    const back = attempts.filter(isBack);
    for (const one of back) {
      this.#tellRegression(one);
      // What is below the mark may have been taken. It is noticed in the answer, whose reign is known: a
      // floor in the first request would raise a former primary that still answers. The floor is above the
      // answer, too: the row may have reached the mark by it, and would then skip nothing of what others had.
      const above = Math.min((one.segment?.high ?? 0) + 1, LAST_ID);
      one.request = { ...one.request, floor: Math.max(one.job.lease.mark, above) };
    }
    await this.#ask(back, wait);
    for (const one of back) if (isBack(one)) [one.answer, one.segment] = [LOCKED, undefined];
    const tookMs = performance.now() - startedAt;
    const ids = attempts.reduce((sum, { segment, request }) => sum + (segment ? request.size : 0), 0);
    onEvent({ type: 'refill', name, keys: jobs.length, ids, tookMs });
    return attempts;
  }

  async #install(attempts: readonly Attempt[]): Promise<void> {
    const { name, install, note, onEvent } = this.#options;
    const now = performance.now();
    const installed = await install(
      attempts.map(({ job, answer, segment }) => {
        const { key, lease, count, endsAt } = job;
        // For a caller that has given up, nothing is taken; others can use the segment.
        const expiresAt = 'high' in answer ? answer.expiresAt : undefined;
        return { key, lease, segment, count: now < endsAt ? count : 0, expiresAt };
      }),
    );
    for (const [i, { job, answer, segment }] of attempts.entries()) {
      const { verdict, low } = installed[i] ?? { verdict: 'VOID', low: undefined };
      if (segment !== undefined && verdict !== 'OK') {
        onEvent({ type: 'discard', name, key: job.key, segment, reason: REASONS[verdict] });
      }
      if (!('high' in answer)) job.settle(answer);
      else if (low === undefined) job.settle(LOCKED);
      else {
        const high = low + job.count - 1;
        job.settle(note(job.key, low, high) ? { ...answer, high } : LOCKED);
      }
    }
  }

  /** One statement, for the answers of `attempts`. Rejects if they are of a reign that is over. */
  async #ask(attempts: readonly Attempt[], wait: boolean): Promise<void> {
    if (attempts.length === 0) return;
    const { name, database, known } = this.#options;
    const jobs = attempts.map(({ job }) => job);
    const requests = attempts.map(({ request }) => request);
    const timeoutMs = Math.max(1, Math.max(...jobs.map(({ endsAt }) => endsAt)) - performance.now());
    const newKeys = allowed(jobs);
    const { keys, origin } = await withTimeout(
      timeoutMs,
      this.#stop.signal,
      () => noAnswer(name, timeoutMs),
      (signal) => {
        const reserve = (within: Origin): Promise<KeyedAnswer> =>
          database.reserve(name, requests, { wait, newKeys, timeoutMs, within, signal });
        const endsAt = performance.now() + timeoutMs;
        return orReinstated(() => known.reserve(reserve), { ...this.#former, endsAt, signal });
      },
    ).catch((error: unknown) => {
      this.#isRefused = error instanceof SupersededReignError;
      if (this.#isRefused) void this.#look();
      throw error;
    });
    this.#isRefused = false;
    if (origin !== undefined) known.accept(origin);
    for (const [i, one] of attempts.entries()) {
      const answer = keys[i] ?? LOCKED;
      const { allowance } = one.job;
      one.answer = answer;
      one.segment =
        'high' in answer ? { low: answer.high - one.request.size + 1, high: answer.high } : undefined;
      if ('high' in answer && answer.isNew && allowance.left !== undefined) allowance.left -= 1;
    }
  }

  /** What is looked at while it is refused. `floor`: no id of a family is issued. */
  get #former(): Reinstating {
    const { name, database: source, known, onEvent } = this.#options;
    return { source, name, known, onEvent, floor: 0 };
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    const isRefused = (): boolean => this.#isRefused;
    const look = { ...this.#former, floor: () => 0, isRefused, signal: this.#stop.signal };
    if (await lookAtFormerPrimary(look)) this.#isRefused = false;
    this.#looking = false;
  }

  #tellRegression({ job, segment }: Attempt): void {
    if (segment === undefined) return;
    const { name, onEvent } = this.#options;
    const { key, lease } = job;
    onEvent({ type: 'regression', name, key, floor: lease.mark, segment });
    onEvent({ type: 'discard', name, key, segment, reason: `ids up to ${lease.mark} were here before` });
  }

  /** So that another process can try at once: its database may answer. */
  async #release(needs: readonly KeyNeed[]): Promise<void> {
    await this.#options
      .install(needs.map(({ key, lease }) => ({ key, lease, segment: undefined, count: 0 })))
      .catch((error: unknown) => {
        // Redis is not available either: the leases expire by themselves.
        if (!isIdError(error)) throw error;
      });
  }
}

const REASONS = {
  VOID: 'Redis lost or replaced its state while the segment was on its way',
  LOW: 'a higher segment was installed while this one was on its way',
  FULL: 'another process had refilled already',
  NONE: 'nothing came',
};

/** Whether the database gave ids that it had given before: it lost its row, or went back. */
function isBack({ job, segment }: Attempt): boolean {
  return segment !== undefined && segment.low <= job.lease.mark;
}

/** Whether too few ids are left in all, but perhaps as many as its caller waits for. */
function isTooMany({ answer, request, job }: Attempt): boolean {
  const exhausted = 'refused' in answer && answer.refused.code === 'ERR_IDS_EXHAUSTED';
  return exhausted && request.size > fewest(job);
}

/** How many ids its caller lacks, or one for later. */
function fewest({ count, lease }: Job): number {
  return Math.max(1, count - lease.left);
}

/** How many keys may begin with a statement for `jobs`; undefined: any number. */
function allowed(jobs: readonly Job[]): number | undefined {
  let sum = 0;
  for (const { left } of new Set(jobs.map(({ allowance }) => allowance))) {
    if (left === undefined) return undefined;
    sum += Math.max(0, left);
  }
  return sum;
}
