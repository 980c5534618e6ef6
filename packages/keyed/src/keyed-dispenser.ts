import type {
  Guarantees,
  Health,
  Id,
  IdError,
  IdGenerator,
  KeyedIdGenerator,
  KeyedRequestOptions,
  RequestOptions,
} from '@ids/core';
import { Lifecycle } from '@ids/core/strategy';
import { assertBatchWithin, describeWithin, groupsDiffer, type SequenceGroup } from '@ids/segment';
import { assertIdBound } from '@ids/store';
import {
  Deadlines,
  healthOf,
  LastFailure,
  noIdWithin,
  RequestQueue,
  type RequestQueueOptions,
  starvedFailure,
  withTimeout,
} from '@ids/waiting';
import { assertKey } from './key.js';
import { KeyView } from './key-view.js';
import { notAnswered, tooSlow } from './keyed-errors.js';
import { type KeyedCounters, KeyedJournal, type KeyedListener, type KeyedNotes } from './keyed-events.js';
import { sequenceOf } from './keyed-source.js';
import { KeyedSupply, type KeyedSupplyOptions } from './keyed-supply.js';
import { Lane } from './lane.js';

export interface KeyedDispenserOptions<T>
  extends Pick<
    KeyedSupplyOptions,
    | 'source'
    | 'closeSource'
    | 'name'
    | 'origin'
    | 'maxStep'
    | 'maxIdsLost'
    | 'maxNewKeysPerSecond'
    | 'deadlineMs'
    | 'refuseFormerPrimaryMs'
  > {
  /** The strategy's name, for error messages. */
  readonly strategy: string;
  readonly guarantees: Guarantees;
  /** Converts the number of an id into what callers get. */
  readonly toId: (value: number) => T;
  /** The groups that the family must have; by default, any or none. */
  readonly group?: SequenceGroup | undefined;
  /** Whether ids of this key may be issued; called for each request. By default, ids of every key may. */
  readonly accept?: ((key: string) => boolean) | undefined;
  readonly onEvent?: KeyedListener | undefined;
  /** Receives all events, also those of the source, and passes them on; `onEvent` is not used then. */
  readonly journal?: KeyedNotes | undefined;
}

/**
 * Issues ids of many keys, each reserved after it was requested. So the ids of one key are in real-time
 * order: if A was returned before B was requested, A's reservation was made before B's was sent, and the
 * reservations of a key increase.
 */
export class KeyedDispenser<T extends Id> implements KeyedIdGenerator<T> {
  readonly strategy: string;
  readonly guarantees: Guarantees;
  readonly #options: KeyedDispenserOptions<T>;
  readonly #lifecycle: Lifecycle;
  readonly #journal: KeyedNotes;
  readonly #failure = new LastFailure();
  readonly #readiness: RequestQueue<number>;
  readonly #supply: KeyedSupply;
  readonly #lanes = new Map<string, Lane<T>>();
  readonly #laneOptions: RequestQueueOptions<T>;
  /** Ids of the keys that nobody waits for any more: issued, and lost with calls that had some of theirs. */
  #issued = 0;
  #lost = 0;

  /**
   * Reads the family and opens a dispenser. Rejects with `ERR_IDS_CONFIG` if the family cannot be used or has
   * other groups, and with `ERR_IDS_TIMEOUT` if the source does not answer in time. With `closeSource`, a
   * rejection has closed the source.
   */
  static async open<T extends Id>(options: KeyedDispenserOptions<T>): Promise<KeyedDispenser<T>> {
    const {
      source,
      closeSource = false,
      name,
      group,
      deadlineMs,
      journal,
      onEvent = journal?.emit,
    } = options;
    try {
      const origin = await describeWithin(source, name, deadlineMs, onEvent);
      const difference = group && groupsDiffer(name, origin.group, group);
      if (difference !== undefined) throw difference;
      return new KeyedDispenser({ ...options, origin });
    } catch (error) {
      if (closeSource) await source.close();
      throw error;
    }
  }

  constructor(options: KeyedDispenserOptions<T>) {
    const { strategy, guarantees, name, deadlineMs, toId, journal, onEvent } = options;
    this.#options = options;
    this.strategy = strategy;
    this.guarantees = guarantees;
    this.#lifecycle = new Lifecycle(strategy);
    this.#journal = journal ?? new KeyedJournal(onEvent);
    const why = (): IdError => this.#failure.current?.error ?? notAnswered();
    this.#laneOptions = {
      deadlineMs: new Deadlines(deadlineMs),
      toId,
      expired: (lane) => {
        const { key, delay } = lane as Lane<T>;
        return noIdWithin(sequenceOf(name, key), deadlineMs, delay ?? why());
      },
    };
    const expired = (): IdError => noIdWithin(`sequence "${name}"`, deadlineMs, why());
    this.#readiness = new RequestQueue({ deadlineMs, toId: (value) => value, expired });
    this.#supply = new KeyedSupply({
      ...options,
      journal: this.#journal,
      failure: this.#failure,
      onAnswer: () => this.#readiness.give(1, this.#readiness.wanted),
      idle: (lane) => this.#forget(lane as Lane<T>),
      refuse: (error) => this.#refuse(error),
      signal: this.#lifecycle.signal,
    });
  }

  next(key: string, options?: KeyedRequestOptions): Promise<T> {
    try {
      this.#assertCall(key, options);
      const lane = this.#laneOf(key, options);
      const waiting = lane.enqueueOne(options?.signal);
      this.#supply.replenish(lane);
      return waiting;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async nextBatch(key: string, count: number, options?: KeyedRequestOptions): Promise<T[]> {
    assertBatchWithin(count, this.#options.maxIdsLost);
    this.#assertCall(key, options);
    // Before there is a lane, which only ids end.
    if (count === 0) return [];
    const lane = this.#laneOf(key, options);
    const waiting = lane.enqueue(count, options?.signal);
    this.#supply.replenish(lane);
    return waiting;
  }

  of(key: string): IdGenerator<T> {
    this.#assertKey(key);
    return new KeyView(this, key);
  }

  async highest(key: string, options?: RequestOptions): Promise<T | undefined> {
    options?.signal?.throwIfAborted();
    this.#lifecycle.assertOpen();
    this.#assertKey(key);
    const { source, name, toId, deadlineMs } = this.#options;
    const highest = await withTimeout(
      deadlineMs,
      [this.#lifecycle.signal, options?.signal],
      () => tooSlow(name, deadlineMs),
      (signal) => source.highest(name, key, { signal }),
    );
    return highest === undefined ? undefined : toId(highest);
  }

  async ready(options?: RequestOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    this.#lifecycle.assertOpen();
    if (this.#supply.isReady) return;
    const waiting = this.#readiness.enqueueOne(options?.signal);
    this.#supply.start();
    await waiting;
  }

  /** `ok` if the source answered its last request, although no ids are in memory and each call needs it. */
  health(): Health {
    if (this.#lifecycle.closed) return { status: 'closed', remaining: 0 };
    const health = healthOf({ remaining: 0, failure: this.#failure.current ?? this.#starved() });
    const status = health.status === 'not-ready' && this.#supply.answered ? 'ok' : health.status;
    return { ...health, status, ...this.#journal.regression };
  }

  counters(): KeyedCounters {
    const { idsDiscarded, ...told } = this.#journal.counts;
    let [idsIssued, lost] = [this.#issued, this.#lost];
    for (const lane of this.#lanes.values()) {
      idsIssued += lane.issued;
      lost += lane.lost;
    }
    return { ...told, idsIssued, idsDiscarded: idsDiscarded + lost };
  }

  close(): Promise<void> {
    return this.#lifecycle.close(async () => {
      this.#refuse(this.#lifecycle.closedError());
      await this.#supply.stop();
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #assertKey(key: string): void {
    assertKey(key);
    const { accept } = this.#options;
    if (accept !== undefined && !accept(key)) {
      throw new RangeError(`key ${JSON.stringify(key)} is not one that the option "accept" accepts`);
    }
  }

  #assertCall(key: string, options: KeyedRequestOptions | undefined): void {
    options?.signal?.throwIfAborted();
    this.#lifecycle.assertOpen();
    this.#assertKey(key);
    if (options?.startAfter !== undefined) assertIdBound('startAfter', options.startAfter);
  }

  /** The lane in which a call for ids of `key` waits. */
  #laneOf(key: string, options: KeyedRequestOptions | undefined): Lane<T> {
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      lane = new Lane<T>(key, options?.startAfter, this.#laneOptions);
      this.#lanes.set(key, lane);
    }
    return lane;
  }

  #forget(lane: Lane<T>): void {
    if (lane.wanted > 0 || this.#lanes.get(lane.key) !== lane) return;
    this.#lanes.delete(lane.key);
    this.#issued += lane.issued;
    this.#lost += lane.lost;
  }

  #refuse(error: IdError): void {
    for (const lane of this.#lanes.values()) {
      lane.fail(error);
      this.#forget(lane);
    }
    this.#readiness.fail(error);
  }

  /** The key that has waited longest without an id, if that is too long. */
  #starved(): ReturnType<typeof starvedFailure> {
    let [longest, worst]: [number, Lane<T> | undefined] = [0, undefined];
    for (const lane of this.#lanes.values()) {
      const ms = lane.starvedMs ?? 0;
      if (ms > longest) [longest, worst] = [ms, lane];
    }
    return worst && starvedFailure(longest, () => worst.delay ?? notAnswered());
  }
}
