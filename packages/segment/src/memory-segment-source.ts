import type { RequestOptions } from '@ids/core';
import { randomValues } from '@ids/core/strategy';
import { assertIdBound, assertSequenceName, isWithin } from '@ids/store';
import { LAST_ID, type Segment } from './segment.js';
import {
  assertReservable,
  DEFAULT_MAX_JUMP,
  jumpTooFar,
  noSuchSequence,
  type ReserveOptions,
  type SegmentSource,
  SequenceMovedError,
  type SequenceState,
  sequenceExhausted,
} from './segment-source.js';

export interface SequenceStart {
  /** The first id is the one after this: a whole number from 0 (default) to 2^53 - 1. */
  readonly startAfter?: number;
}

/**
 * Sequences in the memory of this process, for tests and for trying things out without a database. Ids are
 * unique among the generators that share this object; they are lost with it.
 */
export class MemorySegmentSource implements SegmentSource {
  readonly #sequences = new Map<string, { readonly realm: string; maxId: number }>();

  /** Creates sequences, by name. */
  constructor(sequences: Readonly<Record<string, SequenceStart>> = {}) {
    for (const [name, start] of Object.entries(sequences)) this.createSequence(name, start);
  }

  /** Adds a sequence, unless it exists; returns whether it is new. */
  createSequence(name: string, { startAfter = 0 }: SequenceStart = {}): boolean {
    assertSequenceName(name);
    assertIdBound('startAfter', startAfter);
    if (this.#sequences.has(name)) return false;
    this.#sequences.set(name, { realm: newRealm(), maxId: startAfter });
    return true;
  }

  async describe(name: string, options?: RequestOptions): Promise<SequenceState> {
    options?.signal?.throwIfAborted();
    return { ...this.#sequence(name) };
  }

  async reserve(
    name: string,
    size: number,
    { floor = 0, expectedMaxId, within, signal }: ReserveOptions = {},
  ): Promise<Segment> {
    signal?.throwIfAborted();
    assertReservable(name, size, { floor, expectedMaxId });
    const sequence = this.#sequence(name);
    const { realm, maxId } = sequence;
    const isMoved = expectedMaxId !== undefined && expectedMaxId !== maxId;
    if (isMoved || !isWithin({ realm }, { realm: within?.realm })) {
      throw new SequenceMovedError(name, expectedMaxId, maxId, { realm });
    }
    if (floor - sequence.maxId > DEFAULT_MAX_JUMP) {
      throw jumpTooFar(name, sequence.maxId, floor, DEFAULT_MAX_JUMP);
    }
    const base = Math.max(sequence.maxId, floor);
    // Subtracts from the end, because a sum above 2^53 would be rounded.
    if (size > LAST_ID - base) throw sequenceExhausted(name, size);
    sequence.maxId = base + size;
    return { low: base + 1, high: sequence.maxId };
  }

  async close(): Promise<void> {}

  #sequence(name: string): { readonly realm: string; maxId: number } {
    assertSequenceName(name);
    const sequence = this.#sequences.get(name);
    if (sequence === undefined) throw noSuchSequence(name, 'this MemorySegmentSource');
    return sequence;
  }
}

/** The realm of a sequence in memory. A browser has `randomUUID` in secure contexts only. */
export function newRealm(): string {
  const { crypto } = globalThis as Partial<typeof globalThis>;
  if (crypto?.randomUUID !== undefined) return crypto.randomUUID();
  const words = randomValues(new Uint32Array(4));
  return Array.from(words, (word) => word.toString(16).padStart(8, '0')).join('');
}
