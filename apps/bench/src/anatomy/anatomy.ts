import type { Guarantees } from '@ids/core';

/** A stretch of an id's text. */
export interface IdPart {
  readonly text: string;
  /** What stands there, in words. */
  readonly holds: string;
  /** What a stranger learns from it; absent for nothing. */
  readonly tells?: Guarantees['discloses'][number];
}

/** What an id is made of. */
export interface Anatomy {
  /** From left to right; together they are one whole id of this run. */
  readonly parts: readonly IdPart[];
  /** Bytes of the smallest column that holds every id; absent for text of no fixed length. */
  readonly bytes?: number;
  /**
   * Random bits that a process draws once, by which its ids differ from those of others;
   * absent where none are drawn.
   */
  readonly randomBits?: number;
  /**
   * When ids run out: on a day, ISO 8601, or after so many ids of all processes (`sequence`) or
   * of each one (`process`).
   */
  readonly lasts: { readonly until: string } | { readonly ids: number; readonly of: 'sequence' | 'process' };
}
