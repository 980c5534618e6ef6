import type { Evidence } from './evidence.js';

/** When this process started. Plain data, which goes to worker threads. */
export interface ProcessStart {
  /**
   * The time origin it was made with. A process that comes from a V8 start-up snapshot has
   * another, and so another start.
   */
  readonly origin: number;
  /** Microseconds since the epoch, UTC. */
  readonly startTime: bigint;
  /** Ticks from the boot; undefined where the operating system does not tell. */
  readonly ticks: number | undefined;
}

/** The ids under one prefix, of one thread. */
export interface Sequence {
  /** All that stands before the number: the gpid in short and `/`. */
  prefix: string;
  /** The last number given; 0 before the first. */
  last: number;
}

/**
 * What all copies of this package in one thread share. Plain data, so that copies of
 * different releases agree.
 */
interface ThreadState {
  start?: ProcessStart;
  /** With the time origin it was gathered under. */
  evidence?: { readonly origin: number; readonly value: Evidence };
  /**
   * By prefix without the run. Kept as long as the thread lives: a second sequence of a
   * prefix would repeat ids.
   */
  readonly sequences: Map<string, Sequence>;
}

const STATE = Symbol.for('@ids/gpid thread state 1');

export function threadState(): ThreadState {
  const holder: typeof globalThis & { [STATE]?: ThreadState } = globalThis;
  holder[STATE] ??= { sequences: new Map() };
  return holder[STATE];
}
