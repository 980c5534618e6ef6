import { baseOf, LANE_SECONDS, LANES, type ReignChange, type Skips } from '@ids/store';
import { GROUP_CAPACITY } from '../groups/sequence-group.js';
import { LAST_ID } from '../segment.js';
import { highestOf } from './groups.js';

/**
 * In SQL, of the sequence that is `$1`: the `range`, how many ids its group or the whole sequence has, and
 * the `room`, how many are left of them.
 */
export function roomOf(table: string): string {
  const capacities = Object.entries(GROUP_CAPACITY).map(([by, capacity]) => `WHEN '${by}' THEN ${capacity}`);
  return `(
    SELECT g.range, CASE WHEN g.range < ${LAST_ID} THEN g.range - 1 - g.stands_at % g.range ELSE g.range - g.stands_at END AS room
    FROM (SELECT ${highestOf()} AS stands_at, CASE group_by ${capacities.join(' ')} ELSE ${LAST_ID} END::bigint AS range
      FROM ${table} WHERE server_name = $1) g)`;
}

/**
 * What `skipAfter` computes, in SQL, for a procedure: null if it is refused. `r` is what `Statements.change`
 * returns, `m` is `roomOf` the row. Without a `pace`, skips do not grow.
 */
export function skipSql(skips: Skips, pace: boolean): string {
  const terms = (change: ReignChange) => {
    const skip = skips[change];
    if (!pace || typeof skip !== 'object' || skip === null) {
      return { base: String(baseOf(skip) ?? 'NULL'), perSecond: 'NULL', apart: '0' };
    }
    const base = `LEAST(${skip.base}, m.range / 1000)`;
    const distance = `LEAST(${base}, GREATEST(ceil(${base} / 100.0), ceil(${LANE_SECONDS} * r.rate)))::bigint`;
    const lanes = `LEAST(${LANES}, GREATEST(1, m.range / 100 / GREATEST(1, ${distance})))`;
    return {
      base,
      perSecond: `LEAST(${skip.perSecond}, m.range / 1e8)`,
      apart: `${distance} * ((r.timelines - 1) * (${lanes} - 1) + r.lane % ${lanes})`,
    };
  };
  const [restore, failover] = [terms('restore'), terms('failover')];
  const fixed = `CASE WHEN r.change = 'restore' THEN ${restore.base}::bigint ELSE 0 END
      + CASE WHEN r.timelines <> 0 THEN ${failover.base}::bigint * r.timelines + ${failover.apart} ELSE 0 END`;
  const perSecond = `GREATEST(CASE WHEN r.change = 'restore' THEN ${restore.perSecond}::numeric END,
      CASE WHEN r.timelines <> 0 THEN ${failover.perSecond}::numeric END)`;
  return `(SELECT CASE WHEN f.fixed IS NULL OR f.per_second IS NULL THEN f.fixed
      ELSE LEAST(m.room / 4, f.fixed + ceil(GREATEST(4 * r.rate * r.age, f.per_second * LEAST(r.age, 86400)))::bigint) END
    FROM (SELECT ${fixed} AS fixed, ${perSecond} AS per_second) f)`;
}
