import { setTimeout as sleep } from 'node:timers/promises';
import { IdError, type RequestOptions } from '@ids/core';
import {
  assertKey,
  type KeyAnswer,
  type KeyedAnswer,
  type KeyedReserveOptions,
  type KeyedSource,
  type KeyRequest,
  sequenceOf,
} from '@ids/keyed';
import { GROUP_CAPACITY, KnownReigns, meet, type SequenceGroup, type SequenceState } from '@ids/segment';
import type { VoidReason } from '../events.js';
import { VOID_TEXT } from '../events.js';
import { AHEAD_PAUSE_MS, POLL_MS, RESERVE_TIMEOUT_MS } from '../time-limits.js';
import type { KeyedSegmentRedisDbListener } from './events.js';
import { KeyMemory } from './key-memory.js';
import {
  KeyRecords,
  type KeyRecordsOptions,
  type KeyTake,
  type KeyTakeRequest,
  type Voids,
} from './key-records.js';
import { type Allowance, type KeyNeed, KeyRefills, LOCKED } from './key-refills.js';
import type { StepLimits } from './step.js';

/** How many keys one script serves at most: decision 58 says what that costs other users of that Redis. */
const KEYS_PER_SCRIPT = 64;

/** For a key that has ids: if its row was lost, whoever needs ids at once finds out. */
const NO_NEW_KEY: Allowance = { left: 0 };

export interface RedisKeyedSourceOptions extends Omit<KeyRecordsOptions, 'maxHeld'>, StepLimits {
  /** Where segments come from, and families are. */
  readonly database: KeyedSource;
  readonly onEvent: KeyedSegmentRedisDbListener;
  /** How long a former primary of the database is refused, in milliseconds; a minute by default. */
  readonly refuseFormerPrimaryMs?: number | undefined;
  /** Closes what was opened for this source. */
  readonly release: () => Promise<void>;
}

/**
 * One family, of whose keys Redis keeps segments that another source reserved. All processes take from the
 * same records, so the ids of a key come in the order of the requests.
 */
export class RedisKeyedSource implements KeyedSource {
  readonly #options: RedisKeyedSourceOptions;
  readonly #records: KeyRecords;
  readonly #known: KnownReigns;
  readonly #memory = new KeyMemory();
  readonly #refills: KeyRefills;
  #realm: string | undefined;
  #group: SequenceGroup | undefined;
  #aheadFrom = 0;

  constructor(options: RedisKeyedSourceOptions) {
    this.#options = options;
    this.#records = new KeyRecords({ ...options, maxHeld: options.maxIdsLost });
    this.#known = new KnownReigns(options.name, {}, options.refuseFormerPrimaryMs, 'wait');
    this.#refills = new KeyRefills({
      ...options,
      known: this.#known,
      install: async (installs) => {
        const [realm, { reigns }] = [this.#realm ?? '', this.#known];
        const parts = chunks(installs).map((some) => this.#records.install(some, realm, reigns));
        return (await Promise.all(parts)).flat();
      },
      note: (key, low, high) => this.#note(key, low, high),
    });
  }

  /** Also rejects if Redis cannot be used. */
  async describe(family: string, options?: RequestOptions): Promise<SequenceState> {
    const { database, onEvent } = this.#options;
    const known = this.#known;
    // The reigns are compared here, and by nobody else.
    const { reigns: _compared, ...state } = await meet({
      ...options,
      source: database,
      name: family,
      known,
      floor: 0,
      onEvent,
    });
    this.#realm = state.realm;
    this.#group = state.group;
    await this.#records.probe(state.realm, known.reigns);
    return state;
  }

  async reserve(
    family: string,
    requests: readonly KeyRequest[],
    options: KeyedReserveOptions,
  ): Promise<KeyedAnswer> {
    for (const { key } of requests) assertKey(key);
    if (this.#realm === undefined) await this.describe(family, options);
    const allowance: Allowance = { left: options.newKeys };
    if (options.wait) {
      return { keys: await Promise.all(requests.map((one) => this.#waitFor(one, allowance, options))) };
    }
    const takes = await this.#take(requests);
    const { timeoutMs = RESERVE_TIMEOUT_MS } = options;
    return {
      keys: requests.map((request, i) => this.#answer(request, takes[i] as KeyTake, allowance, timeoutMs)),
    };
  }

  async highest(family: string, key: string, options?: RequestOptions): Promise<number | undefined> {
    assertKey(key);
    if (this.#realm === undefined) await this.describe(family, options);
    // An id that was taken is below the next one. What the database reserved may be far above it.
    const next = await this.#records.next(key, this.#realm ?? '', this.#known.reigns);
    if (next !== undefined && !this.#beginsGroup(next)) return next > 1 ? next - 1 : undefined;
    return this.#options.database.highest(family, key, options);
  }

  async close(): Promise<void> {
    await this.#refills.settle();
    this.#memory.clear();
    await this.#options.release();
  }

  /** Whether no id of a group was taken yet, whose first one would be taken next. */
  #beginsGroup(next: number): boolean {
    return this.#group !== undefined && next % GROUP_CAPACITY[this.#group.by] === 1;
  }

  #answer(request: KeyRequest, take: KeyTake, allowance: Allowance, timeoutMs: number): KeyAnswer {
    const { low, lease } = take;
    const { key, size, startAfter } = request;
    const underWay = lease && this.#refills.underWay(key);
    if (low !== undefined) {
      if (lease !== undefined && underWay === undefined) {
        this.#fillAhead({ key, lease, count: 0, startAfter, allowance: NO_NEW_KEY }, timeoutMs);
      }
      return { high: low + size - 1, isNew: false };
    }
    if (lease === undefined) return LOCKED;
    const need = { key, lease, count: size, startAfter, allowance };
    if (underWay === undefined) return { later: this.#refills.fill(need, timeoutMs) };
    const later = underWay.then(() => this.#again(request, allowance, timeoutMs));
    // Nobody may wait for it any more when it rejects.
    later.catch(() => undefined);
    return { later };
  }

  async #again(request: KeyRequest, allowance: Allowance, timeoutMs: number): Promise<KeyAnswer> {
    const [take] = await this.#take([request]);
    const answer = take === undefined ? LOCKED : this.#answer(request, take, allowance, timeoutMs);
    return 'later' in answer ? answer.later : answer;
  }

  /** Takes ids of one key as soon as another process has refilled it, or somebody has unlocked its row. */
  async #waitFor(
    request: KeyRequest,
    allowance: Allowance,
    { timeoutMs = RESERVE_TIMEOUT_MS, signal }: KeyedReserveOptions,
  ): Promise<KeyAnswer> {
    const { key, size, startAfter } = request;
    const endsAt = performance.now() + timeoutMs;
    let pause = POLL_MS.first;
    for (let left = timeoutMs; left > 0; left = endsAt - performance.now()) {
      signal?.throwIfAborted();
      const [take] = await this.#take([request]);
      if (take?.low !== undefined) return this.#answer(request, take, allowance, endsAt - performance.now());
      const lease = take?.lease;
      const underWay = lease && this.#refills.underWay(key);
      if (underWay !== undefined) {
        await underWay;
      } else if (lease !== undefined) {
        const need = { key, lease, count: size, startAfter, allowance };
        const answer = await this.#refills.fillAlone(need, endsAt - performance.now());
        if (!('missed' in answer) || answer.missed === 'new') return answer;
      } else {
        await sleep(pause, undefined, { signal });
        pause = Math.min(2 * pause, POLL_MS.last);
      }
    }
    throw refilledElsewhere(this.#options.name, key, timeoutMs);
  }

  /** Takes what is there, in one script for as many keys as it may serve. Learns what the records know. */
  async #take(requests: readonly KeyRequest[]): Promise<readonly KeyTake[]> {
    const [realm, { reigns }] = [this.#realm ?? '', this.#known];
    const wanted = requests.map(({ key, size }) => ({ key, count: size, known: this.#memory.of(key) }));
    const parts = await Promise.all(
      chunks(wanted).map(async (some) => {
        const taken = await this.#records.take(some, realm, reigns);
        this.#known.learn(taken.reigns);
        this.#tellVoids(taken.voids);
        taken.keys.forEach(({ low, lease }, i) => {
          const { key, count, known } = some[i] as KeyTakeRequest;
          if (low !== undefined) this.#memory.note(key, low + count - 1, lease?.mark ?? 0, known);
        });
        return taken.keys;
      }),
    );
    return parts.flat();
  }

  /** Reserves the next segment of a key before it is needed. */
  #fillAhead(need: KeyNeed, timeoutMs: number): void {
    if (performance.now() < this.#aheadFrom) {
      this.#refills.giveBack(need);
      return;
    }
    this.#refills.fill(need, timeoutMs).catch(() => {
      // Whoever needs ids at once will see why.
      this.#aheadFrom = performance.now() + AHEAD_PAUSE_MS;
    });
  }

  /** An older record may have come back while the segment was on its way: the next take finds that out. */
  #note(key: string, low: number, high: number): boolean {
    const known = this.#memory.of(key);
    if (low <= known.last) return false;
    this.#memory.note(key, high, high, known);
    return true;
  }

  #tellVoids({ reasons, dropped }: Voids): void {
    const { name, onEvent } = this.#options;
    let left = dropped;
    for (const [reason, keys] of Object.entries(reasons) as [VoidReason, number][]) {
      if (keys === 0) continue;
      // The script counts them for all reasons together.
      onEvent({ type: 'void', name, reason, keys, dropped: left, message: VOID_TEXT[reason] });
      left = 0;
    }
  }
}

function refilledElsewhere(name: string, key: string, ms: number): IdError {
  return new IdError(
    'ERR_IDS_TIMEOUT',
    `${sequenceOf(name, key)}: another process refills it, and has not ended within ${Math.round(ms)} ms`,
  );
}

/** In parts of as many as one script serves. */
function chunks<T>(items: readonly T[]): T[][] {
  const parts: T[][] = [];
  for (let i = 0; i < items.length; i += KEYS_PER_SCRIPT) parts.push(items.slice(i, i + KEYS_PER_SCRIPT));
  return parts;
}
