import { CounterPosition, FREE, localCells, type PositionCells } from '../../src/counter-position.js';
import { ObjectIdIssuer } from '../../src/issuer.js';

/** 2026-01-01T00:00:00Z */
export const SECOND = 1_767_225_600;

/** A clock in milliseconds that stands still until it is set. */
interface HandClock {
  ms: number;
}

/**
 * An issuer on a clock that is set by hand. Its first id has `counter`, and a time
 * `lead` seconds ahead of it.
 */
export function issuerAt({ counter = 0, lead = 0, cells = cellsAt(SECOND + lead, counter) } = {}) {
  const clock: HandClock = { ms: SECOND * 1_000 };
  const position = new CounterPosition(cells);
  return { clock, issuer: onClock(new ObjectIdIssuer({ unique: 'ab102555b9', position }), clock), position };
}

export function onClock(issuer: ObjectIdIssuer, clock: HandClock) {
  return {
    issue: (maxLead: number) => issuer.issue(maxLead, clock.ms),
    issueBatch: (count: number, maxLead: number) => issuer.issueBatch(count, maxLead, () => clock.ms),
  };
}

/** The state of a counter, its next place at `second` or later, that no clock has been read for. */
export function cellsAt(second: number, counter: number, cells = localCells()): PositionCells {
  cells.replace(FREE, 0n, BigInt(second) * 2n ** 24n + BigInt(counter));
  return cells;
}

export function secondOf(id: string): number {
  return Number.parseInt(id.slice(0, 8), 16);
}

/** Seconds and counter as one number of 56 bits. */
export function placeOf(id: string): bigint {
  return BigInt(`0x${id.slice(0, 8)}${id.slice(18)}`);
}

export function counterOf(id: string): number {
  return Number.parseInt(id.slice(18), 16);
}

/** The index of the first id that is not above the one before it; -1 if all rise. */
export function firstNotRising(ids: readonly string[], before = ''): number {
  return ids.findIndex((id, index) => id <= (ids[index - 1] ?? before));
}
