import type { Origin } from '@ids/store';
import type { ReservedSegment, ReserveOptions, Segment, SegmentSource, SequenceState } from '../src/index.js';

/** One call of `reserve` that waits for the test to say how it ends. */
export interface PendingReserve {
  readonly size: number;
  readonly floor: number | undefined;
  readonly within: Origin | undefined;
  readonly signal: AbortSignal | undefined;
  /** Reserves now, and answers. */
  answer(): void;
  /** Answers with any segment at all. */
  answerWith(segment: ReservedSegment): void;
  /** Rejects; nothing is reserved. */
  refuse(error: Error): void;
}

/** A source whose answers the test gives by hand, one by one, when and in the order it likes. */
export class ScriptedSource implements SegmentSource {
  /** The last id reserved; a test may set it back. */
  maxId = 0;
  readonly pending: PendingReserve[] = [];
  reserved = 0;
  mostAtOnce = 0;
  #open = false;
  #arrivals: (() => void)[] = [];

  /** A source that answers by itself. */
  static open(): ScriptedSource {
    const source = new ScriptedSource();
    source.answerAll();
    return source;
  }

  async describe(): Promise<SequenceState> {
    return { realm: 'scripted', maxId: this.maxId };
  }

  reserve(
    _name: string,
    size: number,
    { floor, within, signal }: ReserveOptions = {},
  ): Promise<ReservedSegment> {
    this.reserved++;
    return new Promise((resolve, reject) => {
      const settle = (run: () => void): void => {
        this.pending.splice(this.pending.indexOf(call), 1);
        run();
      };
      const call: PendingReserve = {
        size,
        floor,
        within,
        signal,
        answer: () => settle(() => resolve(this.#take(size, floor))),
        answerWith: (segment) => settle(() => resolve(segment)),
        refuse: (error) => settle(() => reject(error)),
      };
      this.pending.push(call);
      this.mostAtOnce = Math.max(this.mostAtOnce, this.pending.length);
      for (const arrived of this.#arrivals.splice(0)) arrived();
      if (this.#open) call.answer();
    });
  }

  async close(): Promise<void> {}

  /** The oldest call that waits, as soon as there is one. */
  async asked(): Promise<PendingReserve> {
    while (this.pending[0] === undefined) await new Promise<void>((resolve) => this.#arrivals.push(resolve));
    return this.pending[0];
  }

  /** Answers what waits, and from now on at once. */
  answerAll(): void {
    this.#open = true;
    for (const call of [...this.pending]) call.answer();
  }

  #take(size: number, floor = 0): Segment {
    const low = Math.max(this.maxId, floor) + 1;
    this.maxId = low + size - 1;
    return { low, high: this.maxId };
  }
}
