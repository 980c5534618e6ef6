import { IdError } from '@ids/core';
import { formatValue } from '@ids/core/strategy';

/** How an id is made of bits, from the highest to the lowest: time, slot, sequence. */
export interface Layout {
  /** Bits of the time, counted in `unitMs` since `epoch`. */
  readonly timeBits: number;
  /** Bits of the slot: 2^slotBits generators can be open at once. */
  readonly slotBits: number;
  /** Bits of the sequence: 2^sequenceBits ids per unit of time and slot. */
  readonly sequenceBits: number;
  /** Milliseconds per unit of time: 1 or 1,000. */
  readonly unitMs: 1 | 1_000;
  /** The time 0, in milliseconds since 1970; a multiple of `unitMs`. */
  readonly epoch: number;
}

/** 2025-01-01T00:00:00Z. With 41 bits of milliseconds, ids last until 2094. */
export const DEFAULT_EPOCH = 1_735_689_600_000;
/** The epoch of Twitter, 2010-11-04T01:42:54.657Z. */
export const TWITTER_EPOCH = 1_288_834_974_657;
/** The epoch of Discord, 2015-01-01T00:00:00Z. */
export const DISCORD_EPOCH = 1_420_070_400_000;

/** The layouts that have a name. */
export const LAYOUTS = {
  /** 63 bits: 4,096 ids per millisecond and slot, 1,024 slots. */
  '41+10+12': { timeBits: 41, slotBits: 10, sequenceBits: 12, unitMs: 1 },
  /** 53 bits: 64 ids per millisecond and slot, 64 slots. */
  '41+6+6': { timeBits: 41, slotBits: 6, sequenceBits: 6, unitMs: 1 },
  /** 53 bits, time in seconds: 16,384 ids per second and slot, 256 slots; 68 years from the epoch. */
  '31s+8+14': { timeBits: 31, slotBits: 8, sequenceBits: 14, unitMs: 1_000 },
} as const;

export type LayoutName = keyof typeof LAYOUTS;

/** For error messages: `"a", "b" or "c"`. */
export function alternatives(names: readonly string[]): string {
  const quoted = names.map((name) => JSON.stringify(name)).join(', ');
  return quoted.replace(/, ([^,]*)$/, ' or $1');
}

export const LAYOUT_RULE = alternatives(Object.keys(LAYOUTS));

export function isLayoutName(value: unknown): value is LayoutName {
  return typeof value === 'string' && Object.hasOwn(LAYOUTS, value);
}

/** Throws `ERR_IDS_CONFIG` unless `name` is one of `LAYOUTS` and the epoch fits. */
export function layoutOf(name: LayoutName, epoch: number = DEFAULT_EPOCH): Layout {
  if (!isLayoutName(name)) {
    throw new IdError('ERR_IDS_CONFIG', `layout must be ${LAYOUT_RULE}, got ${formatValue(name)}`);
  }
  const layout = { ...LAYOUTS[name], epoch };
  const problem = epochProblem(layout);
  if (problem !== undefined) throw new IdError('ERR_IDS_CONFIG', `epoch ${problem}`);
  return layout;
}

/** Why an epoch does not fit the layout; undefined if it does. It may lie in the future. */
export function epochProblem({ epoch, unitMs }: Pick<Layout, 'epoch' | 'unitMs'>): string | undefined {
  const rule = `must be a whole number of milliseconds since 1970, from 0 to ${LAST_EPOCH}`;
  if (!Number.isInteger(epoch) || epoch < 0 || epoch > LAST_EPOCH)
    return `${rule}, got ${formatValue(epoch)}`;
  if (epoch % unitMs === 0) return undefined;
  return `must be a multiple of ${unitMs}, because the layout counts seconds, got ${epoch}`;
}

/** 2100-01-01T00:00:00Z: an epoch later than this is a mistake, such as microseconds. */
const LAST_EPOCH = 4_102_444_800_000;

/** The layout in one word, as it is stored beside the slots: `41+10+12@1735689600000`. */
export function layoutText({ timeBits, slotBits, sequenceBits, unitMs, epoch }: Layout): string {
  return `${timeBits}${unitMs === 1 ? '' : 's'}+${slotBits}+${sequenceBits}@${epoch}`;
}

/** How many slots the layout has. */
export function slotsOf({ slotBits }: Pick<Layout, 'slotBits'>): number {
  return 2 ** slotBits;
}

/** How many ids a slot has per unit of time. */
export function sequenceSize({ sequenceBits }: Pick<Layout, 'sequenceBits'>): number {
  return 2 ** sequenceBits;
}

/** The most ids per second of one slot. */
export function idsPerSecond(layout: Pick<Layout, 'sequenceBits' | 'unitMs'>): number {
  return (sequenceSize(layout) * 1_000) / layout.unitMs;
}

/** The first moment that the layout cannot express, in milliseconds since 1970. */
export function endOfTime({ timeBits, unitMs, epoch }: Layout): number {
  return epoch + 2 ** timeBits * unitMs;
}

/** A time in milliseconds since 1970, for messages. */
export function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

/**
 * The lowest id of a time, in milliseconds since 1970: ids of earlier units of time are below it, all others
 * are not. For a time before the epoch 0, for one after the end of the layout the number above its last id.
 */
export function lowestIdAt(
  timeMs: number,
  { timeBits, slotBits, sequenceBits, unitMs, epoch }: Layout,
): bigint {
  const units = Math.min(2 ** timeBits, Math.max(0, Math.floor((timeMs - epoch) / unitMs)));
  return BigInt(units) << BigInt(slotBits + sequenceBits);
}

/** What the bits of an id say. */
interface Parts {
  /** The start of the unit of time, in milliseconds since 1970. */
  readonly timeMs: number;
  readonly slot: number;
  readonly sequence: number;
}

/** The parts of an id; undefined if it has more bits than the layout. */
export function partsOf(
  id: bigint,
  { timeBits, slotBits, sequenceBits, unitMs, epoch }: Layout,
): Parts | undefined {
  const time = id >> BigInt(slotBits + sequenceBits);
  if (id < 0n || time >= 1n << BigInt(timeBits)) return undefined;
  return {
    timeMs: epoch + Number(time) * unitMs,
    slot: Number((id >> BigInt(sequenceBits)) & ((1n << BigInt(slotBits)) - 1n)),
    sequence: Number(id & ((1n << BigInt(sequenceBits)) - 1n)),
  };
}
