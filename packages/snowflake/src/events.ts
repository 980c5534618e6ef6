import type { Counters, Health } from '@ids/core';
import type { Window } from './held-windows.js';
import type { Refusal, ReignChange } from './slot-table.js';

/** What happens inside a snowflake generator, for logs and metrics. Times are milliseconds since 1970. */
export type SnowflakeEvent =
  /** A slot was claimed. Its first window comes after `waitMs`. */
  | { readonly type: 'claim'; readonly name: string; readonly slot: number; readonly waitMs: number }
  /** A window of time was granted. */
  | { readonly type: 'window'; readonly name: string; readonly window: Window; readonly tookMs: number }
  /** The table could not be reached; the next attempt follows after a pause. */
  | { readonly type: 'window-failed'; readonly name: string; readonly error: Error }
  /**
   * The slot is no longer this process': it could not renew in time, or the table went back. Another one is
   * claimed.
   */
  | { readonly type: 'lapse'; readonly name: string; readonly slot: number; readonly reason: Refusal }
  /**
   * The table knew of windows up to `stoodAt` only, but this process was granted time up to `floor`: it
   * went back.
   */
  | {
      readonly type: 'regression';
      readonly name: string;
      readonly slot: number;
      readonly floor: number;
      readonly stoodAt: number;
    }
  /**
   * The row of the slot is not as its last grant left it. After a `failover`, a former standby serves it;
   * after a `restore`, it comes from a backup or a copy. Only the process whose statement detected it gets
   * this event.
   */
  | { readonly type: 'new-reign'; readonly name: string; readonly slot: number; readonly cause: ReignChange }
  /** The store can be used, but is not set up to survive what `message` says. Emitted at the start. */
  | { readonly type: 'warning'; readonly name: string; readonly message: string }
  /** `calls` calls had to wait, the longest for `waitedMs`, until they were served or gave up. */
  | { readonly type: 'wait'; readonly name: string; readonly calls: number; readonly waitedMs: number };

/** May be async. If it throws or rejects, that becomes a process warning. */
export type SnowflakeListener = (event: SnowflakeEvent) => void;

/** The counters of a snowflake generator: a refill is a window. */
export type SnowflakeCounters = Required<
  Omit<Counters, 'takes' | 'stateLosses' | 'timeouts' | 'idsDiscarded'>
>;

/** Counts the events of one generator, and remembers the last sign that the table went back. */
export class SnowflakeEventCounter {
  readonly #counts = {
    refills: 0,
    refillSeconds: 0,
    refillFailures: 0,
    regressions: 0,
    waits: 0,
    waitSeconds: 0,
  };
  #regression: Health['lastRegression'];

  count(event: SnowflakeEvent): void {
    const counts = this.#counts;
    switch (event.type) {
      case 'window':
        counts.refills += 1;
        counts.refillSeconds += event.tookMs / 1_000;
        break;
      case 'window-failed':
        counts.refillFailures += 1;
        break;
      case 'regression':
      case 'new-reign':
        counts.regressions += 1;
        this.#regression = { message: messageOf(event), at: new Date() };
        break;
      case 'wait':
        counts.waits += event.calls;
        counts.waitSeconds += event.waitedMs / 1_000;
        break;
    }
  }

  read(): Omit<SnowflakeCounters, 'idsIssued' | 'notReady'> {
    return { ...this.#counts };
  }

  /** For `health()`. */
  get facts(): Pick<Health, 'lastRegression'> {
    return this.#regression === undefined ? {} : { lastRegression: this.#regression };
  }
}

function messageOf(event: SnowflakeEvent & { readonly type: 'regression' | 'new-reign' }): string {
  if (event.type === 'new-reign') {
    return `the row of slot ${event.slot} has another history after a ${event.cause}`;
  }
  const [stoodAt, floor] = [event.stoodAt, event.floor].map((ms) => new Date(ms).toISOString());
  return `the row of slot ${event.slot} stood at ${stoodAt}, but time up to ${floor} had been granted before`;
}
