import type { ReserveOptions, Segment, SegmentSource, SequenceState } from '@ids/segment';

/**
 * A segment source whose answers wait at a gate while that is shut: the range is reserved at once, as in a
 * database, but the process that asked is paused until `release`, as in a long garbage collection.
 */
export class GatedSource implements SegmentSource {
  readonly #source: SegmentSource;
  readonly #waiting: (() => void)[] = [];
  #reserved: () => void = () => {};
  #open = true;

  constructor(source: SegmentSource) {
    this.#source = source;
  }

  describe(name: string): Promise<SequenceState> {
    return this.#source.describe(name);
  }

  async reserve(name: string, size: number, options?: ReserveOptions): Promise<Segment> {
    const segment = await this.#source.reserve(name, size, options);
    if (this.#open) return segment;
    const released = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#reserved();
    await released;
    return segment;
  }

  /** Shuts the gate, which is open at first. */
  shut(): void {
    this.#open = false;
  }

  /** Resolves when a reservation waits at the gate. */
  async held(): Promise<void> {
    if (this.#waiting.length > 0) return;
    await new Promise<void>((resolve) => {
      this.#reserved = resolve;
    });
  }

  /** Lets the oldest reservation go on. */
  release(): void {
    this.#waiting.shift()?.();
  }

  /** Lets all go on, now and later. */
  async close(): Promise<void> {
    this.#open = true;
    while (this.#waiting.length > 0) this.release();
  }
}
