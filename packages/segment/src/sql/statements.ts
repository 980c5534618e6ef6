import { fitsGroup, GROUP_LEFT_MS, highestOf } from './group-sql.js';
import { CHANGE, type ReignGuard, skipOf, storeReign, THIS_XACT, withHere } from './reign.js';
import { logTableOf, quotedTable } from './table-name.js';
import { timeLimitCte, withinTimeLimit } from './time-limit.js';

/**
 * Settings that hold until the statement's own commit, whatever the role, the database or a pooler set. With
 * `synchronous_commit` off, a crash of the server loses reservations that were already served
 * from; with `client_min_messages` above `warning`, the server does not say that a commit might
 * not have been replicated.
 */
const SETTINGS = ['synchronous_commit = on', 'client_min_messages = warning']
  .map((setting) => setting.split(' = '))
  .map(([name, value]) => `pg_catalog.set_config('${name}', '${value}', true)`)
  .join(', ');

/**
 * Every SQL text that runs against the segment table. Values travel as parameters, only the
 * checked table name is text.
 */
export interface Statements {
  readonly reserve: string;
  readonly heal: string;
  readonly change: string;
  readonly create: string;
  readonly setFloor: string;
}

/** The statements, with as much of the reign in them as `guard` allows. */
export function statementsFor(tableName: string, guard: ReignGuard): Statements {
  const { table } = quotedTable(tableName);
  const guarded = guard !== 'off';
  const here = withHere(guard);
  const from = guarded ? 'FROM here ' : '';
  const reserved = `max_id, ${GROUP_LEFT_MS} AS left_ms, ${guarded ? 'noticed' : 'NULL AS noticed'}, ${SETTINGS}`;
  // Sets max_id `$2` ids above `start`, and above the ids that a change of the reign
  // skips, within the time limit.
  const raise = (start: string, condition: string, skip: string, limit: string): string => {
    const above = guarded ? `(${start} + ${skip})` : start;
    return `
${guarded ? `${here.trimEnd()}, ` : 'WITH '}${timeLimitCte(limit)}
UPDATE ${table} AS s SET max_id = ${above} + $2::bigint${storeReign(guard, CHANGE)}
FROM ${guarded ? 'here, ' : ''}time_limit
WHERE server_name = $1 AND ${condition} AND ${fitsGroup(above, '$2::bigint')}${guarded ? `\n  AND ${skip} IS NOT NULL` : ''}
  AND ${withinTimeLimit(limit)}
RETURNING ${reserved}`;
  };
  return {
    // Reserves a segment. $1 name, $2 size, $3 the max_id that it must follow, or null for any; with a guard,
    // $4 and $5 how many ids to skip after a failover and after a restore, or null to refuse; last the time
    // limit, as `lockLimit` gives it. Gives max_id: the segment is (max_id - $2, max_id]; left_ms, null
    // without groups; and what was noticed. No row: no such sequence, another max_id, it cannot be done in
    // its group, refused, or too late. Run twice, it reserves two segments.
    reserve: raise(
      highestOf(),
      '($3::bigint IS NULL OR max_id = $3::bigint)',
      skipOf('$4', '$5'),
      guarded ? '$6' : '$4',
    ),

    // Reserves a segment above a floor. $1 name, $2 size, $3 floor, $4 how far max_id may be raised to reach
    // the floor; with a guard, $5 and $6 as above; last the time limit. No row: as above, or too far.
    heal: raise(
      highestOf('$3::bigint'),
      `$3::bigint <= ${highestOf()} + $4::bigint`,
      skipOf('$5', '$6'),
      guarded ? '$7' : '$5',
    ),

    // What the next reservation would notice. $1 name. Needs a guard. One row, also without such a sequence.
    change: `
${here}SELECT ${CHANGE} AS change FROM here LEFT JOIN ${table} s ON s.server_name = $1`,

    // Adds a sequence. $1 name, $2 the id after which it starts, $3 and $4 unit and zone of its groups, or
    // null. No row: it exists already.
    create: `
${here}INSERT INTO ${table} (server_name, max_id, group_by, time_zone${guarded ? ', system_id, timeline, last_xact' : ''})
SELECT $1::text, $2::bigint, $3::text, $4::text${guarded ? `, here_id, here_timeline, ${THIS_XACT} FROM here` : ''}
ON CONFLICT (server_name) DO NOTHING
RETURNING max_id, realm, now() AT TIME ZONE $4::text, ${SETTINGS}`,

    // Raises a sequence to a floor; one that stands above it stays. Whoever sets a floor has looked, so the
    // reign is taken as it is. $1 name, $2 floor. No row: no such sequence.
    setFloor: `
${here}UPDATE ${table} AS s SET max_id = GREATEST(max_id, $2::bigint)${storeReign(guard, 'NULL')} ${from}WHERE server_name = $1
RETURNING max_id, realm, ${SETTINGS}`,
  };
}

/**
 * The statement `reserve` or `heal` with an entry in the grant log: both are committed, or none of them is.
 * `owner` stands for the parameter with the owner's label.
 */
export function withLog(reservation: string, tableName: string, owner: string): string {
  const { table: log } = quotedTable(logTableOf(tableName));
  return `
WITH reserved AS (${reservation}
), logged AS (
  INSERT INTO ${log} (server_name, low, high, owner)
  SELECT $1, max_id - $2::bigint + 1, max_id, ${owner}::text FROM reserved
)
SELECT max_id, left_ms, noticed FROM reserved`;
}
