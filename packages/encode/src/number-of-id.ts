import type { Guarantees, Id } from '@ids/core';
import { ownText } from './body.js';
import type { Whole } from './digits.js';

/** How the ids of a strategy are numbers. */
export interface NumberOfId {
  /** The greatest there can be. */
  readonly max: bigint;
  /**
   * Whether ids use the whole range from the start, as random or time-led bits do; else they
   * count up from low numbers.
   */
  readonly wide: boolean;
  /** What ids are, for an error message. */
  readonly accepted: string;
  /** Whether `toId` makes the very same again of the number of `id`, unless that lies above `max`. */
  isId(id: unknown): id is Id;
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
    return { ...COUNTED, max: ofLength < last ? ofLength : last, isId: isCount, toId: Number };
  }
  if (idType === 'bigint') {
    return { ...COUNTED, max: ofLength, isId: isBigCount, toId: (value) => value };
  }
  // Without flags: digits of either case would be read back in one.
  const isId = ownText({ ...text, pattern: new RegExp(text.pattern.source) });
  const accepted = 'ids of this strategy';
  if (DECIMAL.test(text.pattern.source)) {
    return { max: ofLength, wide: false, accepted, isId, toNumber: BigInt, toId: String };
  }
  const [, length] = HEX.exec(text.pattern.source) ?? [];
  if (length === undefined) return undefined;
  return {
    max: 16n ** BigInt(length) - 1n,
    wide: true,
    accepted,
    isId,
    toNumber: (id) => BigInt(`0x${id}`),
    toId: (value) => value.toString(16).padStart(Number(length), '0'),
  };
}

const COUNTED = { wide: false, accepted: 'whole numbers from 0', toNumber: (id: Id) => id as Whole };

function isCount(id: unknown): id is number {
  // -0 would be read back as 0.
  return Number.isSafeInteger(id) && (id as number) >= 0 && !Object.is(id, -0);
}

function isBigCount(id: unknown): id is bigint {
  return typeof id === 'bigint' && id >= 0n;
}
