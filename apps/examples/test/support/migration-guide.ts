import { readFileSync } from 'node:fs';
import type { Pool, QueryResult } from 'pg';

const page = readFileSync(new URL('../../../../docs/migrating.md', import.meta.url), 'utf8');

/** The SQL of docs/migrating.md by the comment that it begins with. */
export const guideSteps: ReadonlyMap<string, string> = new Map(
  [...page.matchAll(/^```sql\n-- ([^\n]+)\n(.*?)^```$/gms)].map(([, name = '', sql = '']) => [name, sql]),
);

/** The statements of a step of the guide. */
export function statementsOf(name: string): string[] {
  const sql = guideSteps.get(name);
  if (sql === undefined) throw new Error(`docs/migrating.md has no SQL "${name}"`);
  return sql.split(/;$/m).filter((statement) => statement.trim() !== '');
}

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
  const typed = (statement: string) => statement.replace(/ uuid$/, ` ${uuid}`).replace(/ text$/, ` ${text}`);
  const statements = statementsOf(name).map(typed);
  const client = await pool.connect();
  let failed = true;
  try {
    let result: QueryResult | undefined;
    for (const statement of statements) result = await client.query(statement);
    if (result === undefined) throw new Error(`"${name}" has no statement`);
    failed = false;
    return result;
  } finally {
    // What failed leaves its transaction open.
    client.release(failed);
  }
}
