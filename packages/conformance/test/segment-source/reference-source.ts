import { randomUUID } from 'node:crypto';
import { IdError } from '@ids/core';
import type { OpenedSource } from '../../src/index.js';

export interface Sequence {
  readonly realm: string;
  maxId: number;
}

type ReserveOptions = NonNullable<Parameters<OpenedSource['source']['reserve']>[2]>;

const LAST_ID = Number.MAX_SAFE_INTEGER;

/** A source in memory that keeps the contract. Each step can be replaced on its own, to break it. */
export class ReferenceSource {
  readonly sequences = new Map<string, Sequence>();

  checkSignal(signal: AbortSignal | undefined): void {
    signal?.throwIfAborted();
  }

  checkName(name: string): void {
    if (/^[^\p{Cc}\p{Cs}{}]{1,255}$/u.test(name)) return;
    throw new IdError('ERR_IDS_CONFIG', `a name must have 1 to 255 characters, got ${JSON.stringify(name)}`);
  }

  checkSize(size: number): void {
    if (!Number.isInteger(size) || size < 1 || size > 1e9) throw new RangeError(`size ${size}`);
  }

  checkFloor(floor: number): void {
    if (!Number.isSafeInteger(floor) || floor < 0) throw new RangeError(`floor ${floor}`);
  }

  checkExpected(expectedMaxId: number): void {
    if (!Number.isSafeInteger(expectedMaxId) || expectedMaxId < 0)
      throw new RangeError(`expectedMaxId ${expectedMaxId}`);
  }

  /** Rejects unless the sequence is where the caller expects it. */
  async expect(sequence: Sequence, expectedMaxId: number): Promise<void> {
    if (sequence.maxId !== expectedMaxId) throw movedTo(sequence.maxId);
  }

  find(name: string): Sequence {
    const found = this.sequences.get(name);
    if (found === undefined) throw new IdError('ERR_IDS_CONFIG', `no sequence ${name}`);
    return found;
  }

  checkJump(sequence: Sequence, floor: number): void {
    if (floor - sequence.maxId > 1e9) throw new IdError('ERR_IDS_REGRESSED', `no jump to ${floor}`);
  }

  checkEnd(base: number, size: number): void {
    if (size > LAST_ID - base) throw new IdError('ERR_IDS_EXHAUSTED', 'no ids are left');
  }

  /** The id before the segment. */
  async baseOf(sequence: Sequence, floor: number): Promise<number> {
    return Math.max(sequence.maxId, floor);
  }

  newRealm(): string {
    return randomUUID();
  }

  async createSequence(name: string, startAfter: number): Promise<void> {
    this.checkName(name);
    if (!this.sequences.has(name)) this.sequences.set(name, { realm: this.newRealm(), maxId: startAfter });
  }

  async describe(name: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<Sequence> {
    this.checkSignal(signal);
    this.checkName(name);
    return { ...this.find(name) };
  }

  async reserve(
    name: string,
    size: number,
    { floor = 0, expectedMaxId, signal }: ReserveOptions = {},
  ): Promise<{ low: number; high: number }> {
    this.checkSignal(signal);
    this.checkName(name);
    this.checkSize(size);
    this.checkFloor(floor);
    if (expectedMaxId !== undefined) this.checkExpected(expectedMaxId);
    return this.alone(async () => {
      const sequence = this.find(name);
      if (expectedMaxId !== undefined) await this.expect(sequence, expectedMaxId);
      this.checkJump(sequence, floor);
      const base = await this.baseOf(sequence, floor);
      this.checkEnd(base, size);
      sequence.maxId = base + size;
      return { low: base + 1, high: base + size };
    });
  }

  #last: Promise<unknown> = Promise.resolve();

  /** Runs one reservation after the other. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

export function movedTo(maxId: number): Error {
  const error = new IdError('ERR_IDS_UNAVAILABLE', `the sequence is at ${maxId}`);
  return Object.assign(error, { maxId });
}

export function openReference(broken: Partial<ReferenceSource> = {}): OpenedSource {
  const source = Object.assign(new ReferenceSource(), broken);
  return { source, createSequence: (name, startAfter) => source.createSequence(name, startAfter) };
}
