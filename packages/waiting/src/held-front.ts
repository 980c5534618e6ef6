import { IdError, type RequestOptions } from '@ids/core';
import type { HeldIds } from './held-ids.js';
import type { HeldSupply } from './supply.js';
import type { WaitReport } from './wait-report.js';
import { WaitingFront, type WaitingFrontParts } from './waiting-front.js';

export interface HeldFrontParts<T> extends WaitingFrontParts<T> {
  readonly held: HeldIds;
  readonly supply: HeldSupply;
  readonly toId: (value: number) => T;
  readonly waits: WaitReport;
}

/**
 * The calls of a generator with ids in memory: they wait only if there are too few. Calls that wait are
 * served in the order of their arrival, before later ones; synchronous calls cannot wait, so they may
 * overtake a batch that waits for more ids than there are.
 */
export class HeldFront<T> extends WaitingFront<T> {
  readonly #held: HeldIds;
  readonly #toId: (value: number) => T;
  readonly #supply: HeldSupply;
  readonly #waits: WaitReport;
  #notReady = 0;

  constructor(parts: HeldFrontParts<T>) {
    super(parts);
    this.#held = parts.held;
    this.#toId = parts.toId;
    this.#supply = parts.supply;
    this.#waits = parts.waits;
  }

  /** Synchronous calls that were rejected because too few ids were in memory. */
  protected get notReady(): number {
    return this.#notReady;
  }

  protected override get isReady(): boolean {
    return this.demand.isMet(this.#held);
  }

  nextSync(): T {
    const value = this.#held.tryTake();
    // One branch and one call: anything else here would slow down every id.
    return value < 0 ? this.#nextOrThrow() : this.#toId(value);
  }

  nextBatchSync(count: number): T[] {
    this.assertBatch(count);
    this.lifecycle.assertOpen();
    return this.#held.prepare(count) ? this.#takeBatch(count) : this.#reject(count);
  }

  override async next(options?: RequestOptions): Promise<T> {
    options?.signal?.throwIfAborted();
    if (this.demand.calls.wanted === 0) {
      const value = this.#held.tryTake();
      if (value >= 0) return this.#toId(value);
      this.lifecycle.assertOpen();
      if (this.#held.prepare(1)) return this.#takeOne();
    }
    const [id] = await this.#wait(1, options);
    return id as T;
  }

  override async nextBatch(count: number, options?: RequestOptions): Promise<T[]> {
    this.assertBatch(count);
    options?.signal?.throwIfAborted();
    this.lifecycle.assertOpen();
    if (count === 0) return [];
    if (this.demand.calls.wanted === 0 && this.#held.prepare(count)) return this.#takeBatch(count);
    return this.#wait(count, options);
  }

  #nextOrThrow(): T {
    this.lifecycle.assertOpen();
    return this.#held.prepare(1) ? this.#takeOne() : this.#reject(1);
  }

  #takeOne(): T {
    const { low } = this.#held.takeRange(1);
    this.#supply.replenish();
    return this.#toId(low);
  }

  /** `count` ids were prepared. */
  #takeBatch(count: number): T[] {
    // Of its full length from the start: growing it would be slower than everything else here.
    const ids = new Array<T>(count);
    for (let taken = 0; taken < count; ) {
      const { low, high } = this.#held.takeRange(count - taken);
      for (let value = low; value <= high; value++) ids[taken++] = this.#toId(value);
    }
    this.#supply.replenish();
    return ids;
  }

  async #wait(count: number, options: RequestOptions | undefined): Promise<T[]> {
    this.lifecycle.assertOpen();
    const refusal = this.#supply.refusal?.(count, false);
    if (refusal !== undefined) throw refusal;
    const waiting = this.demand.calls.enqueue(count, options?.signal);
    this.#supply.replenish();
    try {
      return await this.#waits.of(waiting);
    } catch (error) {
      // What it waited for may be enough for those behind it.
      this.#supply.replenish();
      throw error;
    }
  }

  /** A synchronous call for `count` ids found fewer. */
  #reject(count: number): never {
    const refusal = this.#supply.refusal?.(count, true);
    if (refusal !== undefined) throw refusal;
    this.demand.rejected(count);
    this.#notReady += 1;
    this.#supply.replenish();
    const instead =
      count === 1
        ? '; await ready() first, or next()'
        : ` (${this.#heldOf(count)} of ${count}); await nextBatch(${count}), which waits for them`;
    const { tooFew, shortage } = this.#supply;
    throw new IdError('ERR_IDS_NOT_READY', `${tooFew}${instead}`, { cause: shortage });
  }

  /** How many of `count` numbers could be taken; there are fewer. */
  #heldOf(count: number): number {
    let [held, tooMany] = [0, count];
    while (tooMany - held > 1) {
      const middle = Math.floor((held + tooMany) / 2);
      if (this.#held.has(middle)) held = middle;
      else tooMany = middle;
    }
    return held;
  }
}
