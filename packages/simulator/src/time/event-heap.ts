/** What comes at a time; of events at one time, the one with the lower `sequence` comes first. */
interface TimedEvent {
  readonly at: number;
  readonly sequence: number;
}

/** The events to come, the next one on top: by time, then in the order in which they were scheduled. */
export class EventHeap<E extends TimedEvent> {
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
