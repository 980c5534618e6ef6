import type { Guarantees } from './guarantees.js';
import type { Counters, Health, Id, RequestOptions, SyncIdGenerator } from './id-generator.js';
import { closedError } from './lifecycle.js';
import { assertBatchCount } from './requests.js';

/** What a strategy without I/O supplies; the rest of the contract is the same for all of them. */
export interface MemoryGeneratorParts<T extends Id> {
  readonly strategy: string;
  readonly guarantees: Guarantees;
  /** Issues one id or throws. Called only while the generator is open. */
  readonly issue: () => T;
  /** Issues `count` ids, faster than `count` calls of `issue`; `count` is already checked. */
  readonly issueBatch?: (count: number) => T[];
}

/** A generator that needs nothing but process memory, made of a function that issues ids. */
export function memoryGenerator<T extends Id>(parts: MemoryGeneratorParts<T>): SyncIdGenerator<T> {
  return new MemoryGenerator(parts);
}

class MemoryGenerator<T extends Id> implements SyncIdGenerator<T> {
  readonly strategy: string;
  readonly guarantees: Guarantees;
  #issue: () => T;
  #issueBatch: (count: number) => T[];
  /** Of this generator, not of what it issues from, which others may share. */
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
    // In place of a check for each id: at these speeds it would be felt.
    this.#issue = this.#issueBatch = () => {
      throw closedError(this.strategy);
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * The same string in one piece. Engines keep the result of `+` as a tree of its parts; as the first part of
 * each id, that tree would be walked again for every id that is hashed, compared or written out.
 */
export function flatText(text: string): string {
  return [...text].join('');
}
