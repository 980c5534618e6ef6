import { DEFAULT_TABLE, exactId, MAX_STEP, type Provenance, provenanceOf } from '@ids/segment';
import { logTableOf, quotedTable, type SqlExecutor, type TableOptions, type TableShape } from '@ids/store';
import { runOn } from '@ids/store/postgres';
import { assertKey, keyToHex } from '../key.js';
import { noSuchKey } from '../table/answers.js';
import { KEY_TABLE, keyTableOf } from '../table/key-table.js';

/**
 * The grant log of keys: one row for each reservation of a key. The time is part of the key of the table, so
 * that reservations do not fail after the table of the keys went back.
 */
export const KEY_LOG: TableShape = {
  what: 'grant log of keys',
  columns: {
    family: 'text COLLATE "C" NOT NULL',
    sequence_key: 'bytea NOT NULL',
    low: 'bigint NOT NULL',
    high: 'bigint NOT NULL',
    owner: 'text NOT NULL CHECK (length(owner) BETWEEN 1 AND 255)',
    granted_at: 'timestamptz NOT NULL DEFAULT now()',
  },
  constraints: [
    'PRIMARY KEY (family, sequence_key, low, granted_at) INCLUDE (high)',
    'CHECK (low BETWEEN 1 AND high)',
  ],
};

/** `whoIssued` on Postgres. */
export async function whoIssued(
  executor: SqlExecutor,
  family: string,
  key: string,
  id: number | bigint,
  { table = DEFAULT_TABLE }: TableOptions = {},
): Promise<Provenance> {
  assertKey(key);
  const value = exactId(id);
  const keys = keyTableOf(table);
  const log = quotedTable(logTableOf(keys)).table;
  const isKey = `family = $1 AND o.sequence_key = decode($2, 'hex')`;
  // No reservation is longer than MAX_STEP, which limits how far down the index is searched.
  const text = `
SELECT s.max_id, (SELECT min(o.low) FROM ${log} o WHERE o.${isKey}) AS log_start,
  o.low, o.high, o.owner, (1000 * extract(epoch FROM o.granted_at))::text AS granted_ms
FROM ${quotedTable(keys).table} s LEFT JOIN ${log} o
  ON o.${isKey} AND o.low BETWEEN $3::bigint - ${MAX_STEP - 1} AND $3::bigint AND o.high >= $3::bigint
WHERE s.family = $1 AND s.sequence_key = decode($2, 'hex') ORDER BY o.granted_at DESC`;
  const { rows } = await runOn(executor, keys, KEY_TABLE)(text, [family, keyToHex(key), value]);
  const [first, ...others] = rows;
  if (first === undefined) throw noSuchKey(family, key, keys);
  return provenanceOf(value, [first, ...others]);
}
