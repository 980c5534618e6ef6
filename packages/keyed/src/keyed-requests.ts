import { KnownReigns, meet, orReinstated, type Reinstating } from '@ids/segment';
import type { Origin } from '@ids/store';
import { withTimeout } from '@ids/waiting';
import { tooSlow } from './keyed-errors.js';
import type { KeyedNotes } from './keyed-events.js';
import type { KeyAnswer, KeyedAnswer, KeyedReserveOptions, KeyedSource, KeyRequest } from './keyed-source.js';

export interface KeyedRequestsOptions {
  readonly source: KeyedSource;
  /** The family. */
  readonly name: string;
  /** What is known about the family when the generator is opened. */
  readonly origin?: Origin | undefined;
  /** How long a former primary is refused, in milliseconds; a minute by default. */
  readonly refuseFormerPrimaryMs?: number | undefined;
  readonly journal: KeyedNotes;
  /** Ends everything when it aborts. */
  readonly signal: AbortSignal;
}

/** Asks the source of a family, each time with a time limit, and uses no answer of a former primary. */
export class KeyedRequests {
  readonly #options: KeyedRequestsOptions;
  readonly #known: KnownReigns;

  constructor(options: KeyedRequestsOptions) {
    const { name, origin, refuseFormerPrimaryMs } = options;
    this.#options = options;
    this.#known = new KnownReigns(name, origin, refuseFormerPrimaryMs, 'wait');
  }

  /**
   * Reserves ids. An answer that never comes costs its ids, and the next attempt reserves others, which are
   * greater. One that comes after `timeoutMs` is not used.
   */
  async reserve(
    requests: readonly KeyRequest[],
    options: Pick<KeyedReserveOptions, 'wait' | 'newKeys'>,
    timeoutMs: number,
  ): Promise<readonly KeyAnswer[]> {
    const { source, name } = this.#options;
    const { keys, origin } = await this.#within(timeoutMs, (signal) => {
      const reserve = (within: Origin): Promise<KeyedAnswer> =>
        source.reserve(name, requests, { ...options, timeoutMs, within, signal });
      return orReinstated(() => this.#known.reserve(reserve), this.#reinstating(timeoutMs, signal));
    });
    if (origin !== undefined) this.#known.accept(origin);
    return keys;
  }

  /** Reserves nothing, and looks at who answers. */
  async describe(timeoutMs: number): Promise<void> {
    await this.#within(timeoutMs, (signal) => meet(this.#reinstating(timeoutMs, signal)));
  }

  #within<T>(timeoutMs: number, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { name, signal } = this.#options;
    return withTimeout(timeoutMs, signal, () => tooSlow(name, timeoutMs), ask);
  }

  /** `floor`: no id of a family is issued. */
  #reinstating(timeoutMs: number, signal: AbortSignal): Reinstating {
    const { source, name, journal } = this.#options;
    const endsAt = performance.now() + timeoutMs;
    return { source, name, known: this.#known, floor: 0, onEvent: journal.emit, endsAt, signal };
  }
}
