import type { NumberRequest } from './table/request.js';

/** How many keys a process remembers. */
const MOST = 10_000;

/**
 * What this process found out about keys that it has taken numbers of. It may be wrong by now, or on another
 * server, so it only decides which statement is tried first.
 */
export class RecentKeys<T> {
  readonly #known = new Map<string, T>();

  get(request: NumberRequest): T | undefined {
    return this.#known.get(nameOf(request));
  }

  /** Forgets the oldest key if there are too many. */
  set(request: NumberRequest, value: T): void {
    this.#known.set(nameOf(request), value);
    if (this.#known.size <= MOST) return;
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      return;
    }
  }
}

function nameOf({ table, name, key }: NumberRequest): string {
  return JSON.stringify([table, name, key]);
}
