import type { Counters } from '@ids/core';
import type { ReignChange } from '@ids/store';
import { EventJournal, type WaitEvent } from '@ids/waiting';
import { isoOf } from '../ids/layout.js';
import type { Window } from './held-windows.js';
import type { Refusal } from './slot-table.js';

/** What happens inside a snowflake generator, for logs and metrics. Times are milliseconds since 1970. */
export type SnowflakeEvent = WaitEvent | (SlotEvent & { readonly name: string });

type SlotEvent =
  /** A slot was claimed. Its first window comes after `waitMs`. */
  | { readonly type: 'claim'; readonly slot: number; readonly waitMs: number }
  /** A window of time was granted. */
  | { readonly type: 'window'; readonly window: Window; readonly tookMs: number }
  /** The table could not be reached; the next attempt follows after a pause. */
  | { readonly type: 'window-failed'; readonly error: Error }
  /**
   * This process lost the slot: it could not renew it in time, or the table went back. It claims another one.
   */
  | { readonly type: 'lapse'; readonly slot: number; readonly reason: Refusal }
  /**
   * The table knew of windows up to `stoodAt` only, but this process was granted time up to `floor`: it
   * went back.
   */
  | { readonly type: 'regression'; readonly slot: number; readonly floor: number; readonly stoodAt: number }
  /**
   * The row of the slot is not as its last grant left it. After a `failover`, a former standby serves it;
   * after a `restore`, it comes from a backup or a copy. Only the process whose statement detected it gets
   * this event.
   */
  | { readonly type: 'new-reign'; readonly slot: number; readonly cause: ReignChange }
  /** The store can be used, but is not set up to survive what `message` says. Emitted at the start. */
  | { readonly type: 'warning'; readonly message: string };

/** May be async. If it throws or rejects, that becomes a process warning. */
export type SnowflakeListener = (event: SnowflakeEvent) => void;

/** The counters of a snowflake generator; a `refill` is the grant of a window. */
export type SnowflakeCounters = Required<
  Omit<Counters, 'takes' | 'stateLosses' | 'timeouts' | 'idsDiscarded' | 'newKeys'>
>;

export class SnowflakeJournal extends EventJournal<SnowflakeEvent> {
  /** The totals of all events so far. */
  get counts(): Omit<SnowflakeCounters, 'idsIssued' | 'notReady'> {
    return { ...this.totals };
  }

  protected override note(event: SnowflakeEvent): void {
    switch (event.type) {
      case 'window':
        this.refilled(event.tookMs);
        break;
      case 'window-failed':
        this.totals.refillFailures += 1;
        break;
      case 'regression':
        this.regressed(
          `the row of slot ${event.slot} stood at ${isoOf(event.stoodAt)}, but time up to ${isoOf(event.floor)} had been granted before`,
        );
        break;
      case 'new-reign':
        this.regressed(`the row of slot ${event.slot} has another history after a ${event.cause}`);
        break;
      case 'wait':
        this.waited(event);
        break;
    }
  }
}
