import { LAST_ID } from '@ids/segment';
import { GROWTH, LANES } from '@ids/store';
import { LANE, RATE, RESTORED, skipOf, TIMELINES_SINCE } from '@ids/store/postgres';
import { KEY_LANE_SECONDS } from '../table/options.js';

/** Parameters, of which each is a number, or null as described. */
interface KeySkipParameters {
  /** How many ids are skipped after each change, at least; null: it is refused. */
  readonly failover: string;
  readonly restore: string;
  /** How many for each second, at least; null: a skip does not grow. */
  readonly failoverPerSecond: string;
  readonly restorePerSecond: string;
  /** How many lie between two lanes, at least; null: a skip is the same on all of them. */
  readonly distance: string;
  /** `perLostReign`: its ids, or null, and its seconds. */
  readonly perReign: string;
  readonly secondsPerReign: string;
}

/**
 * How many ids of a key, a row `s`, are skipped; null: it is refused. As `keySkipAfter` computes it, also if
 * ids are missing without a change that shows it, which `lost` says. `f` is its family. `grouped`: seconds
 * that were lost do not count.
 */
export function keySkipOf(parameters: KeySkipParameters, lost: string, grouped: boolean): string {
  const { failover, restore, failoverPerSecond, restorePerSecond, distance, perReign, secondsPerReign } =
    parameters;
  const fellOver = `${TIMELINES_SINCE} <> 0`;
  const lanes = `CASE WHEN ${fellOver} AND ${distance}::bigint IS NOT NULL THEN
    ${wholeNumber(`GREATEST(${distance}::bigint, ${KEY_LANE_SECONDS} * ${RATE})`)} * ((${TIMELINES_SINCE} - 1) * ${LANES - 1} + ${LANE}) ELSE 0 END`;
  const reigns = `CASE WHEN f.reigns_lost > s.reigns_lost THEN
    (f.reigns_lost - s.reigns_lost) * (${perReign}::bigint + ${wholeNumber(`${secondsPerReign}::bigint * ${RATE}`)}) ELSE 0 END`;
  const terms = [skipOf(failover, restore, lost), lanes, reigns];
  if (!grouped) {
    const perSecond = (condition: string, least: string): string =>
      `CASE WHEN (${condition}) AND ${least}::bigint IS NOT NULL THEN GREATEST(${least}::bigint, ${GROWTH} * ${RATE}) ELSE 0 END`;
    const most = `GREATEST(${perSecond(`${lost} OR ${RESTORED}`, restorePerSecond)}, ${perSecond(fellOver, failoverPerSecond)})`;
    terms.push(wholeNumber(`GREATEST(0, f.seconds_lost - s.seconds_lost) * ${most}`));
  }
  return terms.join('\n      + ');
}

function wholeNumber(value: string): string {
  return `ceil(LEAST(${value}, ${LAST_ID}))::bigint`;
}
