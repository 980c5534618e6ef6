import type { SqlExecutor } from '@ids/store';
import { dialectOf } from '../dialects/any-dialect.js';
import type { FoundColumn } from './found-column.js';

/*
 * IDs in a column that is not of numbers.
 */

/**
 * The greatest number that a column holds as text, as a sequence would write it, up to 2^53 - 1; undefined if
 * there is none. IDs with other characters or with more digits are left out: no ID of a sequence is equal to
 * them. Reads the whole column.
 */
export async function greatestDecimal(
  database: SqlExecutor,
  { sql }: FoundColumn,
): Promise<bigint | undefined> {
  const text = dialectOf(database).greatestDecimal(sql);
  const max = (await database.execute(text, [])).rows[0]?.max;
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
  const { text, values } = dialectOf(database).examples(found, source, EXAMPLES);
  const { rows } = await database.execute(text, values);
  return rows.map(({ id }) => String(id));
}
