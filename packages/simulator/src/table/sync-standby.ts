import type { Random } from '../random.js';
import type { ScheduledEvent, Scheduler } from '../time/scheduler.js';

/**
 * How the wait of a commit ended: the standby has it, somebody cancelled the wait, or the server was
 * replaced.
 */
export type WaitEnd = 'confirmed' | 'cancelled' | 'gone';

interface Entry {
  /** Its position among the commits of the server, from 1. */
  readonly position: number;
  arrived: boolean;
  ended: ((end: WaitEnd) => void) | undefined;
  event: ScheduledEvent | undefined;
}

/** The time in transit of a commit to the standby, and of its confirmation, in milliseconds. */
const WAY_MS = { from: 0.1, to: 3 };

/**
 * A synchronous standby: it must have a commit before the client gets its answer. Commits reach it in order.
 */
export class SyncStandby {
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  /** Commits that have not arrived or were not confirmed, oldest first. */
  #entries: Entry[] = [];
  #cutUntil = 0;
  #lastArrivalMs = 0;

  constructor(scheduler: Scheduler, random: Random) {
    this.#scheduler = scheduler;
    this.#random = random;
  }

  /** Sends commit number `position`. If somebody waits for it, calls `ended` once with how the wait ended. */
  send(position: number, ended?: (end: WaitEnd) => void): void {
    const entry: Entry = { position, arrived: false, ended, event: undefined };
    this.#entries.push(entry);
    this.#schedule(entry);
  }

  /** How many of the server's commits it lacks. */
  lacks(commits: number): number {
    const first = this.#entries.find(({ arrived }) => !arrived);
    return first === undefined ? 0 : commits - first.position + 1;
  }

  /** Nothing arrives before this time. */
  cut(untilMs: number): void {
    this.#cutUntil = untilMs;
    this.#lastArrivalMs = 0;
    for (const entry of this.#entries) {
      if (entry.arrived) continue;
      if (entry.event !== undefined) entry.event.cancelled = true;
      this.#schedule(entry);
    }
  }

  /**
   * Cancels the waits, as an operator does who sees statements hang: they end with a warning, and their
   * commits are on the primary only.
   */
  cancelWaits(): void {
    for (const entry of this.#entries) end(entry, 'cancelled');
  }

  /** The server that it follows is gone. */
  leave(): void {
    const entries = this.#entries;
    this.#entries = [];
    this.#cutUntil = 0;
    this.#lastArrivalMs = 0;
    for (const entry of entries) {
      if (entry.event !== undefined) entry.event.cancelled = true;
      end(entry, 'gone');
    }
  }

  #schedule(entry: Entry): void {
    const { now } = this.#scheduler;
    const atMs = Math.max(this.#lastArrivalMs, Math.max(now, this.#cutUntil) + this.#draw());
    this.#lastArrivalMs = atMs;
    entry.event = this.#at(atMs, () => {
      entry.arrived = true;
      entry.event = this.#at(atMs + this.#draw(), () => {
        this.#entries = this.#entries.filter((other) => other !== entry);
        end(entry, 'confirmed');
      });
    });
  }

  #at(atMs: number, run: () => void): ScheduledEvent {
    return this.#scheduler.schedule(atMs, this.#scheduler.world, run);
  }

  #draw(): number {
    return WAY_MS.from + this.#random.next() * (WAY_MS.to - WAY_MS.from);
  }
}

function end(entry: Entry, how: WaitEnd): void {
  const { ended } = entry;
  entry.ended = undefined;
  ended?.(how);
}
