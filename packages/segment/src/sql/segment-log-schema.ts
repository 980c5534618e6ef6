import { logTableOf, quotedTable } from './table-name.js';

/**
 * The DDL of the grant log: one row per segment, who drew it and when by the server's clock. The key has the
 * time in it, so that a segment table which went back does not make reservations fail: the log then shows
 * both grants. Generators never read the rows, so old ones may be deleted at any time.
 */
export function segmentLogSchema(table: string): string {
  const { table: log } = quotedTable(logTableOf(table));
  return `CREATE TABLE IF NOT EXISTS ${log} (
  server_name text NOT NULL,
  low bigint NOT NULL,
  high bigint NOT NULL,
  owner text NOT NULL CHECK (length(owner) BETWEEN 1 AND 255),
  granted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (server_name, low, granted_at) INCLUDE (high),
  CHECK (low BETWEEN 1 AND high)
);
`;
}
