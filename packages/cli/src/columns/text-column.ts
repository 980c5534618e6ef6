import type { SqlExecutor } from '@ids/store';
import { type FoundColumn, unreadable } from './found-column.js';

/*
 * IDs in a column that is not of numbers.
 */

/** Of an ID of a sequence, which ends at 2^53 - 1: no leading zeros, at most 16 digits. */
const DECIMAL = '^[1-9][0-9]{0,15}$';

/**
 * The greatest number that a column holds as text, as a sequence would write it, up to 2^53 - 1; undefined if
 * there is none. IDs with other characters or with more digits are left out: no ID of a sequence is equal to
 * them. Reads the whole column.
 */
export async function greatestDecimal(
  database: SqlExecutor,
  { sql: { table, column } }: FoundColumn,
): Promise<bigint | undefined> {
  const end = Number.MAX_SAFE_INTEGER;
  const texts = {
    mysql: `SELECT CAST(MAX(CAST(t AS unsigned)) AS char) AS max
FROM (SELECT CAST(${column} AS char) AS t FROM ${table}) AS texts
WHERE t REGEXP '${DECIMAL}' AND CAST(t AS unsigned) <= ${end}`,
    postgres: `SELECT max(n)::text AS max
FROM (SELECT CASE WHEN ${column}::text ~ '${DECIMAL}' THEN ${column}::text::bigint END AS n FROM ${table}) AS numbers
WHERE n <= ${end}`,
    sqlite: `SELECT CAST(MAX(CAST(t AS integer)) AS text) AS max FROM (SELECT CAST(${column} AS text) AS t FROM ${table})
WHERE t GLOB '[1-9]*' AND t NOT GLOB '*[^0-9]*' AND length(t) <= 16 AND CAST(t AS integer) <= ${end}`,
  };
  const max = (await database.execute(texts[database.dialect ?? 'postgres'], [])).rows[0]?.max;
  return typeof max === 'string' ? BigInt(max) : undefined;
}

/** As many as are decoded to find a great one; of ids that are not obfuscated, the first is the greatest. */
const EXAMPLES = 1_000;

/** IDs in the column that look like the ones that `pattern` describes, the longest and last ones first. */
export async function examplesIn(
  database: SqlExecutor,
  found: FoundColumn,
  { source }: RegExp,
): Promise<string[]> {
  const { table, column } = found.sql;
  if (database.dialect === 'sqlite') {
    const why =
      'encoded IDs of a SQLite database cannot be found by their pattern, so it is not known how far they go';
    throw unreadable(found, why);
  }
  const isMysql = database.dialect === 'mysql';
  // On MySQL as hex: what a backslash means depends on a setting there. Its own collation would be no better
  // than that of the column, and the server refuses to choose.
  const hex = `CONVERT(0x${Buffer.from(source).toString('hex')} USING utf8mb4) COLLATE utf8mb4_general_ci`;
  const text = isMysql
    ? `SELECT CAST(${column} AS char) AS id FROM ${table} WHERE CAST(${column} AS char) REGEXP ${hex}
ORDER BY CHAR_LENGTH(${column}) DESC, CAST(${column} AS binary) DESC LIMIT ${EXAMPLES}`
    : `SELECT ${column}::text AS id FROM ${table} WHERE ${column}::text ~ $1
ORDER BY length(${column}::text) DESC, ${column}::text COLLATE "C" DESC LIMIT ${EXAMPLES}`;
  const { rows } = await database.execute(text, isMysql ? [] : [source]);
  return rows.map(({ id }) => String(id));
}
