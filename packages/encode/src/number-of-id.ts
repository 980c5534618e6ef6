import type { Guarantees, Id } from '@ids/core';
import type { Whole } from './radix.js';

/** How the ids of a strategy are numbers. */
export interface NumberOfId {
  /** The greatest there can be. */
  readonly max: bigint;
  /** Whether ids use the whole range from the start, as random or time-led bits do; else they count up from low numbers. */
  readonly wide: boolean;
  toNumber(id: Id): Whole;
  toId(value: bigint): Id;
}

/** Texts of lower-case hex digits, all of one length. */
const HEX = /^\^\[0-9a-f\]\{(\d+)\}\$$/;
/** Decimal digits without leading zeros. */
const DECIMAL = /^\^\[1-9\]\[0-9\](?:\*|\{0,\d+\})\$$/;

/** Read from what the strategy says of its ids; `undefined` for text that is no number, such as a gpid. */
export function numberOfId({ idType, text }: Guarantees): NumberOfId | undefined {
  const ofLength = 10n ** BigInt(text.maxLength) - 1n;
  if (idType === 'number') {
    const last = BigInt(Number.MAX_SAFE_INTEGER);
    return { max: ofLength < last ? ofLength : last, wide: false, toNumber: asWhole, toId: Number };
  }
  if (idType === 'bigint') return { max: ofLength, wide: false, toNumber: asWhole, toId: (value) => value };
  if (DECIMAL.test(text.pattern.source)) {
    return { max: ofLength, wide: false, toNumber: (id) => BigInt(id), toId: String };
  }
  const [, length] = HEX.exec(text.pattern.source) ?? [];
  if (length === undefined) return undefined;
  return {
    max: 16n ** BigInt(length) - 1n,
    wide: true,
    toNumber: (id) => BigInt(`0x${id}`),
    toId: (value) => value.toString(16).padStart(Number(length), '0'),
  };
}

function asWhole(id: Id): Whole {
  return typeof id === 'string' ? BigInt(id) : id;
}
