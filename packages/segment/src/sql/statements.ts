import { fitsGroup, GROUP_LEFT_MS, GROUP_LIMIT, highestOf } from './group-sql.js';
import { logTableOf, quotedTable } from './table-name.js';

/**
 * `synchronous_commit` is set inside the statement because that holds until its own commit, whatever the role's or the
 * database's default is: with `off`, a crash of the server loses reservations that were already served from.
 */
const DURABLE = `set_config('synchronous_commit', 'on', true)`;

const RESERVED = `max_id, ${GROUP_LEFT_MS} AS left_ms, ${DURABLE}`;

/** Every SQL text that runs against the segment table. Values travel as parameters, only the checked table name is text. */
export interface Statements {
  readonly reserve: string;
  readonly heal: string;
  readonly describe: string;
  readonly create: string;
  readonly setFloor: string;
}

export function statementsFor(tableName: string): Statements {
  const { table } = quotedTable(tableName);
  return {
    // Reserves a segment. $1 name, $2 size. Gives max_id: the segment is (max_id - $2, max_id]; and left_ms, null without groups.
    // No row: no such sequence, or it cannot be done in its group.
    reserve: `
UPDATE ${table} SET max_id = ${highestOf()} + $2::bigint
WHERE server_name = $1 AND ${fitsGroup(highestOf(), '$2::bigint')}
RETURNING ${RESERVED}`,

    // Reserves a segment above a floor. $1 name, $2 size, $3 floor, $4 how far max_id may be raised to reach the floor.
    // No row: as above, or too far.
    heal: `
UPDATE ${table} SET max_id = ${highestOf('$3::bigint')} + $2::bigint
WHERE server_name = $1 AND $3::bigint <= ${highestOf()} + $4::bigint AND ${fitsGroup(highestOf('$3::bigint'), '$2::bigint')}
RETURNING ${RESERVED}`,

    // Reads a sequence and whether the store is durable. $1 name, $2 quoted table, $3 quoted log table or null.
    // max_id and realm are null: no such sequence.
    describe: `
SELECT s.max_id, s.realm, s.group_by, s.time_zone, ${highestOf()} AS stands_at, ${GROUP_LIMIT} AS group_limit,
  c.relpersistence, pg_is_in_recovery() AS in_recovery, current_setting('fsync') AS fsync,
  current_setting('synchronous_standby_names') AS standbys,
  (SELECT l.relpersistence FROM pg_class l WHERE l.oid = to_regclass($3::text)) AS log_persistence
FROM pg_class c LEFT JOIN ${table} s ON s.server_name = $1
WHERE c.oid = $2::text::regclass`,

    // Adds a sequence. $1 name, $2 the id after which it starts, $3 and $4 unit and zone of its groups, or null.
    // No row: it exists already.
    create: `
INSERT INTO ${table} (server_name, max_id, group_by, time_zone) VALUES ($1, $2::bigint, $3::text, $4::text)
ON CONFLICT (server_name) DO NOTHING
RETURNING max_id, realm, now() AT TIME ZONE $4::text, ${DURABLE}`,

    // Raises a sequence to a floor; one that stands above it stays. $1 name, $2 floor. No row: no such sequence.
    setFloor: `
UPDATE ${table} SET max_id = GREATEST(max_id, $2::bigint) WHERE server_name = $1
RETURNING max_id, realm, ${DURABLE}`,
  };
}

/**
 * The statement `reserve` or `heal` with an entry in the grant log: both are committed, or none of them is. `owner` stands for
 * the parameter with the owner's label.
 */
export function withLog(reservation: string, tableName: string, owner: string): string {
  const { table: log } = quotedTable(logTableOf(tableName));
  return `
WITH reserved AS (${reservation}
), logged AS (
  INSERT INTO ${log} (server_name, low, high, owner)
  SELECT $1, max_id - $2::bigint + 1, max_id, ${owner}::text FROM reserved
)
SELECT max_id, left_ms FROM reserved`;
}
