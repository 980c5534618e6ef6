import { formatValue, timeOfDate } from '@ids/core/strategy';
import { fitsNumber, formatOf, type SnowflakeTypeName, type SnowflakeTypes } from './id-format.js';
import { endOfTime, isoOf, type Layout, layoutText, sequenceSize, slotsOf } from './layout.js';

export interface SnowflakesAtOptions<As extends SnowflakeTypeName = SnowflakeTypeName> {
  readonly layout: Layout;
  /**
   * A slot that nobody else has at the dates: from 0 to as many as the layout has, less one. Before the first
   * id of the layout that is any slot; later, one that `createSlots` has not created yet. A back-fill that
   * runs again, or beside another one, needs a slot of its own.
   */
  readonly slot: number;
  /** The type of the ids; `number` needs a layout of 53 bits. Default `bigint`. */
  readonly as?: As | undefined;
}

/**
 * Returns a function that gives snowflakes with times of the past, for rows that existed before them. Call it
 * in the order of the dates: it throws a `RangeError` for a date before the last one, or that the layout does
 * not have. Ids increase, and none repeats. If more ids than a slot has share a unit of time, the next ones
 * have the time of the next unit.
 *
 * An id of a generator differs by its slot or its time, as far as nobody else has the slot at these dates;
 * nothing checks that, as with the option `worker`. Throws a `RangeError` for a slot or type that the layout
 * does not have.
 */
export function snowflakesAt<As extends SnowflakeTypeName = 'bigint'>({
  layout,
  slot,
  as = 'bigint' as As,
}: SnowflakesAtOptions<As>): (date: Date) => SnowflakeTypes[As] {
  const slots = slotsOf(layout);
  if (!Number.isInteger(slot) || slot < 0 || slot >= slots) {
    throw new RangeError(`slot must be a whole number from 0 to ${slots - 1}, got ${formatValue(slot)}`);
  }
  if (as === 'number' && !fitsNumber(layout)) {
    throw new RangeError(
      `as must be "bigint" or "string" for the layout ${layoutText(layout)}, got "number"`,
    );
  }
  const format = formatOf(as, layout);
  const last = endOfTime(layout) - layout.unitMs;
  let asked = layout.epoch;
  /** Of the next id, in milliseconds since 1970. */
  let stamp = Number.NEGATIVE_INFINITY;
  let sequence = 0;

  function begin(at: number): void {
    if (at > last) throw new RangeError(`the layout ${layoutText(layout)} ends before ${isoOf(at)}`);
    stamp = at;
    sequence = 0;
    format.begin(stamp, slot);
  }

  return (date) => {
    const ms = timeOfDate(date, last + layout.unitMs - 1);
    if (ms < asked) {
      throw new RangeError(
        `the date must not be before ${isoOf(asked)}, the epoch or last date; got ${isoOf(ms)}`,
      );
    }
    asked = ms;
    const unit = ms - ((ms - layout.epoch) % layout.unitMs);
    if (unit > stamp) begin(unit);
    else if (sequence === sequenceSize(layout)) begin(stamp + layout.unitMs);
    return format.id(sequence++) as SnowflakeTypes[As];
  };
}
