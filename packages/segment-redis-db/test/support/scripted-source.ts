import type { ReserveOptions, Segment, SegmentSource, SequenceState } from '@ids/segment';
import type { Scheduler } from 'fast-check';

/**
 * A segment source whose answers come when and in the order that `scheduler` says. The range itself is
 * reserved at once, as a database does whose answer is on its way.
 */
export class ScriptedSource implements SegmentSource {
  readonly #source: SegmentSource;
  readonly #scheduler: Scheduler;
  /** Reservations that will fail from now on, after the database has committed them. */
  failing = 0;

  constructor(source: SegmentSource, scheduler: Scheduler) {
    this.#source = source;
    this.#scheduler = scheduler;
  }

  describe(name: string): Promise<SequenceState> {
    return this.#source.describe(name);
  }

  async reserve(name: string, size: number, options?: ReserveOptions): Promise<Segment> {
    const segment = await this.#source.reserve(name, size, options);
    const fails = this.failing > 0;
    if (fails) this.failing -= 1;
    await this.#scheduler.schedule(Promise.resolve(), `segment ${segment.low}..${segment.high}`);
    if (fails) throw new Error('the answer was lost');
    return segment;
  }

  async close(): Promise<void> {}
}
