import { IdError, type RequestOptions } from '@ids/core';
import {
  MemorySegmentSource,
  type ReservedSegment,
  type ReserveOptions,
  type SegmentSource,
  type Sequence,
} from '@ids/segment';
import type { Random } from '../random.js';
import type { Owner, Scheduler } from '../time/scheduler.js';
import type { Trace } from '../trace.js';

export interface SegmentTableOptions {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly trace: Trace;
  readonly sequences: readonly string[];
  /** The id before the first one. */
  readonly startAfter: number;
}

/**
 * The central table, one row per sequence. What a statement does is `MemorySegmentSource` of `@ids/segment`; around it are the
 * ways to a database and back, and what can happen on them.
 */
export class SegmentTable {
  /** Milliseconds that a statement and its reply take each: from, to. */
  latency: readonly [number, number] = [0.2, 2];
  /** Nothing is executed before this time: a lock, a slow disk, a vacuum. */
  stalledUntil = 0;
  /** Nobody can connect before this time. */
  downUntil = 0;
  /** How likely a connection breaks after the commit, before its reply has come. */
  loseReplies = 0;
  readonly #options: SegmentTableOptions;
  readonly #realm = 'realm-of-the-run';
  #rows = new Map<string, { source: MemorySegmentSource; maxId: number }>();

  constructor(options: SegmentTableOptions) {
    this.#options = options;
    for (const name of options.sequences) this.#put(name, options.startAfter);
  }

  maxId(name: string): number {
    return this.#rows.get(name)?.maxId ?? 0;
  }

  /** Sets the row back to an earlier state, as the restore of a backup does. */
  restore(name: string, maxId: number): void {
    this.#put(name, maxId);
  }

  /** The way of one process to the table. */
  sourceFor(owner: Owner): SegmentSource {
    const { random } = this.#options;
    return {
      describe: (name, options) =>
        this.#ask(owner, options, async () => ({
          ...(await this.#row(name).source.describe(name)),
          realm: this.#realm,
        })) as Promise<Sequence>,
      reserve: (name, size, options) => {
        const { signal, ...bounds } = options ?? {};
        return this.#ask(owner, options, async () => {
          const segment = await this.#reserve(owner, name, size, bounds);
          if (random.chance(this.loseReplies)) throw unavailable('the connection broke after the commit');
          return segment;
        });
      },
      close: async () => {},
    };
  }

  async #reserve(owner: Owner, name: string, size: number, bounds: ReserveOptions): Promise<ReservedSegment> {
    const row = this.#row(name);
    const segment = await row.source.reserve(name, size, bounds);
    row.maxId = segment.high;
    this.#options.trace.add(
      owner.name,
      `table reserves ${segment.low}..${segment.high} ${JSON.stringify(bounds)}`,
    );
    return segment;
  }

  /** Sends a statement, executes it, brings back what came of it. */
  #ask<T>(owner: Owner, options: RequestOptions | undefined, execute: () => Promise<T>): Promise<T> {
    const { scheduler, random } = this.#options;
    return new Promise<T>((resolve, reject) => {
      const signal = options?.signal;
      let cancelled = false;
      const abort = () => {
        // The cancellation may come too late for the statement, never for the caller.
        cancelled = random.chance(0.5);
        reject(signal?.reason);
      };
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      signal?.addEventListener('abort', abort, { once: true });
      const settle = (run: () => void) => {
        scheduler.schedule(scheduler.now + this.#draw(), owner, () => {
          signal?.removeEventListener('abort', abort);
          run();
        });
      };
      const arrive = () => {
        if (cancelled) return;
        if (scheduler.now < this.downUntil) settle(() => reject(unavailable('nothing answers')));
        else if (scheduler.now < this.stalledUntil)
          scheduler.schedule(this.stalledUntil, scheduler.world, arrive);
        else
          execute().then(
            (value) => settle(() => resolve(value)),
            (error) => settle(() => reject(error)),
          );
      };
      scheduler.schedule(scheduler.now + this.#draw(), scheduler.world, arrive);
    });
  }

  #draw(): number {
    const [from, to] = this.latency;
    return from + this.#options.random.next() * (to - from);
  }

  #row(name: string) {
    const row = this.#rows.get(name);
    if (row === undefined)
      throw new IdError('ERR_IDS_CONFIG', `there is no sequence ${JSON.stringify(name)}`);
    return row;
  }

  #put(name: string, maxId: number): void {
    this.#rows.set(name, { source: new MemorySegmentSource({ [name]: { startAfter: maxId } }), maxId });
  }
}

function unavailable(why: string): IdError {
  return new IdError('ERR_IDS_UNAVAILABLE', `the segment table cannot be asked: ${why}`);
}
