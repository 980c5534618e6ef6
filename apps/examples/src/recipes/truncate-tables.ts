import type { Pool } from 'pg';

/** Those whose triggers refuse TRUNCATE are left out: sequences, and what else must never begin again. */
const TABLES = `
SELECT string_agg(format('%I.%I', t.schemaname, t.tablename), ', ') AS tables FROM pg_tables t
WHERE t.schemaname = current_schema() AND NOT EXISTS (
  SELECT FROM pg_trigger g WHERE g.tgrelid = format('%I.%I', t.schemaname, t.tablename)::regclass
    AND g.tgname LIKE '%\\_guard\\_truncate')`;

/** Empties the tables of the schema between two tests. Ids go on: no test may expect that they begin at 1. */
export async function truncateTables(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ tables: string | null }>(TABLES);
  if (rows[0]?.tables) await pool.query(`TRUNCATE ${rows[0].tables} CASCADE`);
}
