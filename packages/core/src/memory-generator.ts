import type { Guarantees } from './guarantees.js';
import type { Counters, Health, Id, RequestOptions, SyncIdGenerator } from './id-generator.js';
import { closedError } from './lifecycle.js';
import { assertBatchCount } from './requests.js';

/** What a strategy without I/O must provide. The rest of `IdGenerator` is the same for all of them. */
export interface MemoryGeneratorParts<T extends Id> {
  readonly strategy: string;
  readonly guarantees: Guarantees;
  /** Issues one id, or throws. Called only while the generator is open. */
  readonly issue: () => T;
  /** Issues `count` ids faster than `count` calls to `issue` would. `count` has been validated. */
  readonly issueBatch?: (count: number) => T[];
}

/** Returns a complete generator built on a function that issues ids from process memory. */
export function memoryGenerator<T extends Id>(parts: MemoryGeneratorParts<T>): SyncIdGenerator<T> {
  return new MemoryGenerator(parts);
}

class MemoryGenerator<T extends Id> implements SyncIdGenerator<T> {
  readonly strategy: string;
  readonly guarantees: Guarantees;
  #issue: () => T;
  #issueBatch: (count: number) => T[];
  /** Counts this generator only: `issue` may be shared with others. */
  #issued = 0;
  #closed = false;

  constructor(parts: MemoryGeneratorParts<T>) {
    this.strategy = parts.strategy;
    this.guarantees = parts.guarantees;
    this.#issue = parts.issue;
    this.#issueBatch = parts.issueBatch ?? ((count) => Array.from({ length: count }, parts.issue));
  }

  nextSync(): T {
    const id = this.#issue();
    this.#issued++;
    return id;
  }

  nextBatchSync(count: number): T[] {
    assertBatchCount(count);
    const ids = this.#issueBatch(count);
    this.#issued += count;
    return ids;
  }

  async next(options?: RequestOptions): Promise<T> {
    options?.signal?.throwIfAborted();
    return this.nextSync();
  }

  async nextBatch(count: number, options?: RequestOptions): Promise<T[]> {
    options?.signal?.throwIfAborted();
    return this.nextBatchSync(count);
  }

  async ready(options?: RequestOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    if (this.#closed) throw closedError(this.strategy);
  }

  health(): Health {
    return { status: this.#closed ? 'closed' : 'ok' };
  }

  counters(): Counters {
    return { idsIssued: this.#issued };
  }

  async close(): Promise<void> {
    this.#closed = true;
    // Replacing the functions saves a check per id, which would be measurable at these speeds.
    this.#issue = this.#issueBatch = () => {
      throw closedError(this.strategy);
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
