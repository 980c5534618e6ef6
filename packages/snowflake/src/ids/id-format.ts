import type { Guarantees } from '@ids/core';
import type { Layout, LayoutName } from './layout.js';

/** The types in which callers can get an id. */
export interface SnowflakeTypes {
  number: number;
  bigint: bigint;
  string: string;
}

export type SnowflakeTypeName = keyof SnowflakeTypes;

/**
 * Makes the ids of one stamp and slot: `begin` once for each stamp, then `id` for each number of its
 * sequence.
 */
export interface IdFormat<T> {
  begin(stamp: number, slot: number): void;
  id(sequence: number): T;
}

/** `number` needs a layout of at most 53 bits. */
export function formatOf(as: SnowflakeTypeName, layout: Layout): IdFormat<SnowflakeTypes[SnowflakeTypeName]> {
  if (as === 'number') return new NumberFormat(layout);
  return as === 'bigint' ? new BigintFormat(layout) : new StringFormat(layout);
}

class NumberFormat implements IdFormat<number> {
  readonly #layout: Layout;
  #base = 0;

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  begin(stamp: number, slot: number): void {
    const { epoch, unitMs, slotBits, sequenceBits } = this.#layout;
    this.#base = (((stamp - epoch) / unitMs) * 2 ** slotBits + slot) * 2 ** sequenceBits;
  }

  id(sequence: number): number {
    return this.#base + sequence;
  }
}

abstract class WideFormat {
  readonly #layout: Layout;
  protected base = 0n;

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  begin(stamp: number, slot: number): void {
    const { epoch, unitMs, slotBits, sequenceBits } = this.#layout;
    // Both factors are exact as numbers: the time has at most 41 bits, with the slot 51.
    this.base = BigInt(((stamp - epoch) / unitMs) * 2 ** slotBits + slot) << BigInt(sequenceBits);
  }
}

class BigintFormat extends WideFormat implements IdFormat<bigint> {
  id(sequence: number): bigint {
    return this.base + BigInt(sequence);
  }
}

class StringFormat extends WideFormat implements IdFormat<string> {
  id(sequence: number): string {
    return String(this.base + BigInt(sequence));
  }
}

/** The layout of ids and of their slots, unless another one is named. */
export function defaultLayout(as: SnowflakeTypeName = 'string'): LayoutName {
  return as === 'number' ? '41+6+6' : '41+10+12';
}

/** Whether ids of the layout are exact as JavaScript numbers. */
export function fitsNumber({ timeBits, slotBits, sequenceBits }: Omit<Layout, 'epoch' | 'unitMs'>): boolean {
  return timeBits + slotBits + sequenceBits <= 53;
}

/** An id as a string: decimal digits, so strings do not sort like numbers. */
export function textOf(layout: Layout): Guarantees['text'] {
  const { slotBits, sequenceBits, timeBits } = layout;
  const last = (1n << BigInt(timeBits + slotBits + sequenceBits)) - 1n;
  const maxLength = String(last).length;
  return {
    pattern: new RegExp(`^(0|[1-9][0-9]{0,${maxLength - 1}})$`),
    alphabet: '0123456789',
    minLength: 1,
    maxLength,
    sortable: false,
    caseSensitive: false,
  };
}
