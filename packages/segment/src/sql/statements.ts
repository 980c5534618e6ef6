import { quotedTable } from './table-name.js';

/**
 * `synchronous_commit` is set inside the statement because that holds until its own commit, whatever the role's or the
 * database's default is: with `off`, a crash of the server loses reservations that were already served from.
 */
const DURABLE = `set_config('synchronous_commit', 'on', true)`;

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
    // Reserves a segment. $1 name, $2 size. Gives max_id: the segment is (max_id - $2, max_id]. No row: no such sequence.
    reserve: `
UPDATE ${table} SET max_id = max_id + $2::bigint WHERE server_name = $1
RETURNING max_id, ${DURABLE}`,

    // Reserves a segment above a floor. $1 name, $2 size, $3 floor, $4 how far max_id may be raised to reach the floor.
    // No row: no such sequence, or too far.
    heal: `
UPDATE ${table} SET max_id = GREATEST(max_id, $3::bigint) + $2::bigint
WHERE server_name = $1 AND $3::bigint <= max_id + $4::bigint
RETURNING max_id, ${DURABLE}`,

    // Reads a sequence and whether the store is durable. $1 name, $2 quoted table. max_id and realm are null: no such sequence.
    describe: `
SELECT s.max_id, s.realm, c.relpersistence, pg_is_in_recovery() AS in_recovery, current_setting('fsync') AS fsync
FROM pg_class c LEFT JOIN ${table} s ON s.server_name = $1
WHERE c.oid = $2::text::regclass`,

    // Adds a sequence. $1 name, $2 the id after which it starts. No row: it exists already.
    create: `
INSERT INTO ${table} (server_name, max_id) VALUES ($1, $2::bigint)
ON CONFLICT (server_name) DO NOTHING
RETURNING max_id, realm, ${DURABLE}`,

    // Raises a sequence to a floor; one that stands above it stays. $1 name, $2 floor. No row: no such sequence.
    setFloor: `
UPDATE ${table} SET max_id = GREATEST(max_id, $2::bigint) WHERE server_name = $1
RETURNING max_id, realm, ${DURABLE}`,
  };
}
