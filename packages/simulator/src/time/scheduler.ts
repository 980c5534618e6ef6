/** Who runs code in the simulation: a process of the service, or the world around the processes. */
export interface Owner {
  readonly name: string;
  /** Once true, none of its events run. */
  dead: boolean;
  /** None of its events run before this time, in milliseconds. */
  pausedUntil: number;
  /** How many milliseconds its monotonic clock advances per millisecond. */
  readonly clockRate: number;
  /** How far its wall clock is ahead of the world's, in milliseconds. */
  wallOffset: number;
  /** The maximum delay of its timers, in milliseconds. */
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
 * Virtual time: runs events one by one, each with all its microtasks and ticks before the next. Everything
 * that a process does follows from one of its events, so `current` identifies it without help from the code
 * under test.
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
   * Runs `run` at `at`, on behalf of `owner`. With `plain`, it settles no promise and so needs no microtasks.
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

  /** Resolves at `at`, as an event of the world. */
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
        // Keeps its order among events of the same time, so a paused process resumes in the order of its
        // events.
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

/** Resolves when all microtasks and ticks have run. */
function settled(): Promise<void> {
  return new Promise((resolve) => realSetImmediate(resolve));
}

/** An event at a time; of events at the same time, the one with the lower `sequence` comes first. */
interface TimedEvent {
  readonly at: number;
  readonly sequence: number;
}

/** The scheduled events, the next one on top: by time, then in the order in which they were scheduled. */
class EventHeap<E extends TimedEvent> {
  readonly #events: E[] = [];

  peek(): E | undefined {
    return this.#events[0];
  }

  push(event: E): void {
    const events = this.#events;
    let i = events.length;
    events.push(event);
    while (i > 0) {
      const parent = (i - 1) >> 1;
      const above = events[parent];
      if (above === undefined || isBefore(above, event)) break;
      events[i] = above;
      i = parent;
    }
    events[i] = event;
  }

  pop(): E | undefined {
    const events = this.#events;
    const [top] = events;
    const last = events.pop();
    if (last === undefined || events.length === 0) return top;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      let below = events[child];
      if (below === undefined) break;
      const right = events[child + 1];
      if (right !== undefined && isBefore(right, below)) {
        below = right;
        child++;
      }
      if (isBefore(last, below)) break;
      events[i] = below;
      i = child;
    }
    events[i] = last;
    return top;
  }
}

function isBefore(a: TimedEvent, b: TimedEvent): boolean {
  return a.at < b.at || (a.at === b.at && a.sequence < b.sequence);
}
