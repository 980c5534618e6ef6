import { EventHeap } from './event-heap.js';

/** Whoever runs code in the simulation: a process of the service, or the world around the processes. */
export interface Owner {
  readonly name: string;
  /** Once true, nothing of it runs any more. */
  dead: boolean;
  /** Nothing of it runs before this time, in milliseconds. */
  pausedUntil: number;
  /** How many milliseconds its monotonic clock counts in one. */
  readonly clockRate: number;
  /** What its wall clock is ahead of the world's, in milliseconds. */
  wallOffset: number;
  /** How late its timers fire, at most, in milliseconds. */
  readonly timerLag: number;
}

export interface ScheduledEvent {
  at: number;
  readonly sequence: number;
  readonly owner: Owner;
  readonly run: () => void;
  readonly plain: boolean;
  cancelled: boolean;
}

const realSetImmediate = setImmediate;

/**
 * Virtual time: runs events one by one, each with all microtasks and ticks that follow from it before
 * the next. Whatever a process does follows from an event of its own, so `current` names it without any
 * help of the code that runs.
 */
export class Scheduler {
  readonly world: Owner = {
    name: 'world',
    dead: false,
    pausedUntil: 0,
    clockRate: 1,
    wallOffset: 0,
    timerLag: 0,
  };
  /** Milliseconds since the beginning of the run. */
  now = 0;
  current: Owner = this.world;
  /** How many events have run. */
  events = 0;
  readonly #heap = new EventHeap<ScheduledEvent>();
  #sequence = 0;

  /**
   * Runs `run` at `at`, in the place of `owner`. With `plain` it settles no promise and so needs
   * no turn of the microtasks.
   */
  schedule(at: number, owner: Owner, run: () => void, plain = false): ScheduledEvent {
    const event = {
      at: Math.max(at, this.now),
      sequence: this.#sequence++,
      owner,
      run,
      plain,
      cancelled: false,
    };
    this.#heap.push(event);
    return event;
  }

  /** Resolves at `at`, in the world. */
  until(at: number): Promise<void> {
    return new Promise((resolve) => this.schedule(at, this.world, resolve));
  }

  /** Runs everything that is due up to `end`, or until `stopped` returns true. */
  async run(end: number, stopped: () => boolean = () => false): Promise<void> {
    for (;;) {
      const event = this.#heap.peek();
      if (event === undefined || event.at > end || stopped()) break;
      this.#heap.pop();
      const { owner } = event;
      if (event.cancelled || owner.dead) continue;
      if (owner.pausedUntil > event.at) {
        // Keeps its place among those of the same time, so a paused process goes on in
        // the order of its events.
        event.at = owner.pausedUntil;
        this.#heap.push(event);
        continue;
      }
      this.now = event.at;
      this.current = owner;
      this.events++;
      event.run();
      if (!event.plain) await settled();
      this.current = this.world;
    }
    if (!stopped()) this.now = Math.max(this.now, end);
  }
}

/** Resolves when all microtasks and ticks are done. */
function settled(): Promise<void> {
  return new Promise((resolve) => realSetImmediate(resolve));
}
