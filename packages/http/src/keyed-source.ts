import type { RequestOptions } from '@ids/core';
import type { KeyAnswer, KeyedAnswer, KeyedReserveOptions, KeyedSource, KeyRequest } from '@ids/keyed';
import type { SequenceState } from '@ids/segment';
import { Connection, type ConnectionOptions } from './connection.js';
import { describeGenerator } from './describe.js';
import { numbersOf } from './id-text.js';
import { type CallAnswer, issueCalls } from './issue-calls.js';
import { KnownRealm } from './known-realm.js';
import { isBadRequest, type RefusedError } from './problem.js';
import type { DescribedGenerator, HighestResponse } from './wire.js';

export interface HttpKeyedSourceOptions {
  readonly connection: ConnectionOptions;
  /** What the server says of the generator. */
  readonly described: DescribedGenerator;
  /** How long a caller waits, in milliseconds. */
  readonly deadlineMs: number;
}

/** How long ids of some keys may wait in the server for those of the others, in milliseconds. */
const GRACE_MS = 500;
/**
 * How many keys of an answer are asked for one by one when they come later than others, as if somebody had
 * locked them. If there are more, the server is slow, and together they take it less time.
 */
const MOST_ASIDE = 3;

/**
 * Ids by key from a server. They are issued there, to the calls that wait here: in real-time order, as those
 * of its generator are, and never twice, since an answer is used once. Floors and new keys are up to the
 * server: it does not say which keys are new.
 */
export class HttpKeyedSource implements KeyedSource {
  readonly #shared: Connection;
  /** For keys that take long, one in each request: a pause that the server asks for concerns no others. */
  readonly #aside: Connection;
  readonly #realm: KnownRealm;
  /** The most ids of one request, as the server said last: it lowers it with the quota of its client. */
  #maxIds: number;
  readonly #deadlineMs: number;

  constructor({ connection, described, deadlineMs }: HttpKeyedSourceOptions) {
    const { name, realm, maxIdsPerRequest } = described;
    this.#shared = new Connection(connection);
    this.#aside = new Connection(connection);
    this.#realm = new KnownRealm(name, this.#shared.server);
    this.#realm.accept(realm);
    this.#maxIds = maxIdsPerRequest;
    this.#deadlineMs = deadlineMs;
  }

  /** Asks whether the server answers. It does not say where new keys begin. */
  async describe(family: string, { signal }: RequestOptions = {}): Promise<SequenceState> {
    const limits = { timeoutMs: this.#deadlineMs, signal };
    const { realm } = await describeGenerator(this.#shared, family, limits);
    this.#realm.accept(realm);
    return { realm: String(realm), maxId: 0 };
  }

  async reserve(
    family: string,
    requests: readonly KeyRequest[],
    options: KeyedReserveOptions,
  ): Promise<KeyedAnswer> {
    const parts = partsOf(requests, this.#maxIds);
    if (parts.length === 1) return { keys: await this.#issue(family, requests, options) };
    const answers = parts.map((part) => this.#issue(family, part, options));
    // As long as one of them is answered, a failure concerns the keys of its request only.
    await Promise.any(answers).catch(() => answers[0]);
    const keys = answers.flatMap((answer, at) => (parts[at] ?? []).map((_, i) => laterOf(answer, i)));
    return { keys };
  }

  async highest(family: string, key: string, { signal }: RequestOptions = {}): Promise<number | undefined> {
    const query = new URLSearchParams({ name: family, key });
    const limits = { timeoutMs: this.#deadlineMs, signal };
    const { realm, highest } = (await this.#shared.get(`/highest?${query}`, limits)) as HighestResponse;
    this.#realm.accept(realm);
    return highest === null ? undefined : numbersOf([highest], this.#shared)[0];
  }

  /** Idempotent. Nothing is open between two requests. */
  async close(): Promise<void> {}

  /** In several requests, one after the other, if the server allows fewer ids in one than it did. */
  async #issue(
    family: string,
    requests: readonly KeyRequest[],
    options: KeyedReserveOptions,
  ): Promise<KeyAnswer[]> {
    try {
      return await this.#issueTogether(family, requests, options);
    } catch (error) {
      if (!isBadRequest(error) || requests.length === 1) throw error;
      const { timeoutMs = this.#deadlineMs, signal } = options;
      const described = await describeGenerator(this.#shared, family, { timeoutMs, signal });
      this.#maxIds = described.maxIdsPerRequest;
      const parts = partsOf(requests, this.#maxIds);
      if (parts.length === 1) throw error;
      const answers: KeyAnswer[] = [];
      for (const part of parts) {
        try {
          answers.push(...(await this.#issue(family, part, options)));
        } catch (failure) {
          if (answers.length === 0) throw failure;
          // Asked for again.
          answers.push(...part.map(() => ({ missed: 'late' }) as const));
        }
      }
      return answers;
    }
  }

  async #issueTogether(
    family: string,
    requests: readonly KeyRequest[],
    { wait, timeoutMs = this.#deadlineMs, signal }: KeyedReserveOptions,
  ): Promise<KeyAnswer[]> {
    const connection = wait ? this.#aside : this.#shared;
    const calls = requests.map(({ key, size, startAfter }) => {
      return { generator: family, key, count: size, ...(startAfter !== undefined && { startAfter }) };
    });
    // The server has to answer in time for the keys that are not locked.
    const half = Math.ceil(timeoutMs / 2);
    const limited = wait ? { calls } : { calls, timeoutMs: half, graceMs: Math.min(GRACE_MS, half) };
    const answers = await issueCalls({ connection, realm: this.#realm }, limited, { timeoutMs, signal });
    const failure = failureOf(answers, wait);
    if (failure !== undefined) throw failure;
    let late = 0;
    return answers.map((answer, index): KeyAnswer => {
      if ('ids' in answer) return this.#usable(answer.ids, requests[index]?.floor);
      const { refused } = answer;
      return refused.retryable ? { missed: late++ < MOST_ASIDE ? 'locked' : 'late' } : { refused };
    });
  }

  #usable(texts: readonly string[], floor = 0): KeyAnswer {
    const ids = numbersOf(texts, this.#shared);
    const [low = 0, high = low] = [ids[0], ids.at(-1)];
    if (low > floor) return { high, ids, isNew: false };
    return { refused: this.#shared.unusable(`has ${low} for a key that had ${floor} before`) };
  }
}

/**
 * Why no call got ids, if that may pass; undefined if it concerns some of the keys only. A single call that
 * took too long may be for a locked key, which is asked for `alone` then.
 */
function failureOf(answers: readonly CallAnswer[], alone: boolean): RefusedError | undefined {
  const refusals = answers.flatMap((answer) => ('refused' in answer ? [answer.refused] : []));
  const passing = refusals.filter(
    ({ code, retryable }) => retryable && (alone || answers.length > 1 || code !== 'ERR_IDS_TIMEOUT'),
  );
  return passing.length === answers.length ? passing[0] : undefined;
}

function laterOf(answers: Promise<KeyAnswer[]>, index: number): KeyAnswer {
  const later = answers.then((keys) => keys[index] as KeyAnswer);
  // Nobody looks at it if the generator was closed just now.
  later.catch(() => {});
  return { later };
}

/** Splits requests so that no part asks for more than `most` ids; a request for more is its own part. */
function partsOf(requests: readonly KeyRequest[], most: number): KeyRequest[][] {
  const parts: KeyRequest[][] = [];
  let left = 0;
  for (const request of requests) {
    if (request.size > left || parts.length === 0) {
      parts.push([]);
      left = most;
    }
    left -= request.size;
    parts.at(-1)?.push(request);
  }
  return parts;
}
