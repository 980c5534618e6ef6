import { exactId, MAX_STEP, type Provenance, provenanceOf } from '@ids/segment';
import type { TableOptions } from '@ids/store';
import type { SqliteExecutor } from '@ids/store/sqlite';
import { assertKey, keyToHex } from '../key.js';
import { noSuchKey } from '../table/answers.js';
import { keyedSql } from './family.js';

/** `whoIssued` on SQLite. */
export async function whoIssuedSqlite(
  executor: SqliteExecutor,
  family: string,
  key: string,
  id: number | bigint,
  { table }: TableOptions = {},
): Promise<Provenance> {
  assertKey(key);
  const value = exactId(id);
  const { tables, sql } = keyedSql(executor, table);
  const { name, quoted, log } = tables.keys;
  // No reservation is longer than MAX_STEP, which limits how far down the index is searched.
  const text = `SELECT CAST(s.max_id AS text) AS max_id,
  (SELECT CAST(min(o.low) AS text) FROM ${log} o WHERE o.family = s.family AND o.sequence_key = s.sequence_key) AS log_start,
  CAST(l.low AS text) AS low, CAST(l.high AS text) AS high, l.owner, CAST(l.granted_at AS text) AS granted_ms
FROM ${quoted} s LEFT JOIN ${log} l ON l.family = s.family AND l.sequence_key = s.sequence_key
    AND l.low BETWEEN CAST(? AS integer) - ${MAX_STEP - 1} AND CAST(? AS integer) AND l.high >= CAST(? AS integer)
WHERE s.family = ? AND s.sequence_key = ? ORDER BY l.granted_at DESC`;
  const [first, ...others] = await sql.rows(text, [value, value, value, family, keyToHex(key)]);
  if (first === undefined) throw noSuchKey(family, key, name);
  return provenanceOf(value, [first, ...others]);
}
