import type { Guarantees, Health, Id, IdGenerator, KeyedIdGenerator, RequestOptions } from '@ids/core';
import { defineGuarantees, Lifecycle } from '@ids/core/strategy';

/** The sequence of one key as a generator. It keeps nothing but its key; closing it closes only itself. */
export class KeyView<T extends Id> implements IdGenerator<T> {
  readonly #family: KeyedIdGenerator<T>;
  readonly #key: string;
  readonly #lifecycle: Lifecycle;

  constructor(family: KeyedIdGenerator<T>, key: string) {
    this.#family = family;
    this.#key = key;
    this.#lifecycle = new Lifecycle(family.strategy);
  }

  get strategy(): string {
    return this.#family.strategy;
  }

  /** What holds for the ids of one key, of a generator that issues no others. */
  get guarantees(): Guarantees {
    return alone(this.#family.guarantees);
  }

  async next(options?: RequestOptions): Promise<T> {
    this.#lifecycle.assertOpen();
    return this.#family.next(this.#key, options);
  }

  async nextBatch(count: number, options?: RequestOptions): Promise<T[]> {
    this.#lifecycle.assertOpen();
    return this.#family.nextBatch(this.#key, count, options);
  }

  async ready(options?: RequestOptions): Promise<void> {
    this.#lifecycle.assertOpen();
    return this.#family.ready(options);
  }

  health(): Health {
    return this.#lifecycle.closed ? { status: 'closed', remaining: 0 } : this.#family.health();
  }

  close(): Promise<void> {
    return this.#lifecycle.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

const aloneOf = new WeakMap<Guarantees, Guarantees>();

function alone(guarantees: Guarantees): Guarantees {
  let own = aloneOf.get(guarantees);
  if (own === undefined) {
    const { within: _within, ...rest } = guarantees;
    own = defineGuarantees(rest);
    aloneOf.set(guarantees, own);
  }
  return own;
}
