import { readFileSync } from 'node:fs';
import type { Pool, QueryResult } from 'pg';

const page = readFileSync(new URL('../../../../docs/migrating.md', import.meta.url), 'utf8');

/** The SQL of docs/migrating.md by the comment that it begins with. */
export const guideSteps: ReadonlyMap<string, string> = new Map(
  [...page.matchAll(/^```sql\n-- ([^\n]+)\n(.*?)^```$/gms)].map(([, name = '', sql = '']) => [name, sql]),
);

/**
 * Runs a step of the guide as psql would, statement by statement on one connection, with other types for
 * `uuid` and `text` where the reader is told to write those. Resolves with what the last statement returned.
 */
export async function runStep(
  pool: Pool,
  name: string,
  uuid: 'uuid' | 'bigint' = 'uuid',
  text: 'text' | 'uuid' = 'text',
): Promise<QueryResult> {
  const sql = guideSteps.get(name);
  if (sql === undefined) throw new Error(`docs/migrating.md has no SQL "${name}"`);
  const typed = sql.replaceAll(' uuid;', ` ${uuid};`).replaceAll(' text;', ` ${text};`);
  const statements = typed.split(/;$/m).filter((statement) => statement.trim() !== '');
  const client = await pool.connect();
  try {
    let result: QueryResult | undefined;
    for (const statement of statements) result = await client.query(statement);
    if (result === undefined) throw new Error(`"${name}" has no statement`);
    return result;
  } finally {
    client.release();
  }
}
