import { CHANGE_TEXT, type ReignChange } from './reign-change.js';
import { type Pace, type RowLoss, type Skips, skipAfter, skippedAfter } from './skip.js';

/** What the next reservation from a table will do about a change, for a warning. */
export function pendingChange(change: ReignChange, skips: Skips, loss: RowLoss = {}): string {
  const skip = skippedAfter(change, skips, loss);
  const then =
    skip === null
      ? 'is refused until setFloor is called with checked: true'
      : `skips at least ${skip.skipped} ids${skip.pace ? `: ${paceText(skip.pace)}` : ''}`;
  return `${CHANGE_TEXT[change]}; the next reservation ${then}`;
}

/** The same, for the description of a table. */
export function pendingState(pending: ReignChange, skips: Skips, loss: RowLoss = {}) {
  return { pending, refused: skipAfter(pending, skips, loss) === null };
}

const UNITS = [
  { seconds: 86_400, unit: 'd' },
  { seconds: 3_600, unit: 'h' },
  { seconds: 60, unit: 'min' },
  { seconds: 1, unit: 's' },
];

/** Why so many are skipped: `the row is 8 h 12 min old, and up to 1240 ids a second were reserved`. */
function paceText({ ageSeconds, idsPerSecond }: Pace): string {
  return `the row is ${durationText(ageSeconds)} old, and up to ${Math.ceil(idsPerSecond)} ids a second were reserved`;
}

/** The two greatest units of it. */
function durationText(seconds: number): string {
  const first = UNITS.findIndex((one) => one.seconds <= seconds);
  if (first === -1) return '0 s';
  let rest = Math.max(0, Math.floor(seconds));
  const parts: string[] = [];
  for (const { seconds: length, unit } of UNITS.slice(first, first + 2)) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  return parts.join(' ');
}
