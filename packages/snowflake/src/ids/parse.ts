import { formatValue } from '@ids/core/strategy';
import { type Layout, layoutText, partsOf } from './layout.js';

/** What a snowflake consists of. */
export interface ParsedSnowflake {
  /** The start of the unit of time, in milliseconds since 1970. */
  readonly ms: number;
  /** The same as a `Date`. */
  readonly date: Date;
  readonly slot: number;
  readonly sequence: number;
}

/**
 * Splits a snowflake of any origin into its parts. `id` is a bigint, a whole number, or its decimal digits;
 * it does not show its `layout`, which the caller must know. Throws a `TypeError` for anything else, and a
 * `RangeError` for other strings and for numbers that the layout cannot have: negative ones, and those with
 * more bits.
 */
export function parseSnowflake(id: bigint | number | string, layout: Layout): ParsedSnowflake {
  const parts = partsOf(bigintOf(id), layout);
  if (parts === undefined) {
    throw new RangeError(`${formatValue(id)} is no snowflake of the layout ${layoutText(layout)}`);
  }
  const { timeMs: ms, slot, sequence } = parts;
  return { ms, date: new Date(ms), slot, sequence };
}

function bigintOf(id: unknown): bigint {
  if (typeof id === 'bigint') return id;
  if (typeof id === 'number') {
    if (Number.isSafeInteger(id)) return BigInt(id);
    throw new RangeError(`a snowflake must be a whole number up to 2^53 - 1, or a bigint, got ${id}`);
  }
  if (typeof id !== 'string') {
    throw new TypeError(`a snowflake must be a bigint, a number or a string, got ${formatValue(id)}`);
  }
  if (/^(?:0|[1-9]\d{0,18})$/.test(id)) return BigInt(id);
  throw new RangeError(`a snowflake must have 1 to 19 decimal digits, got ${formatValue(id)}`);
}
