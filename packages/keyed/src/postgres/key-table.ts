import { IdError } from '@ids/core';
import { inSchema, logTableOf, quotedTable } from '@ids/store';
import { guardTriggers, type Run, reignFacts, TRIGGER_FACTS, triggerWarnings } from '@ids/store/postgres';
import { KEY_TABLE } from '../table/key-table.js';

/** What the start of a generator finds out about its key table. */
interface FoundKeyTable {
  /** A table of the family where it was found: see `inSchema`. */
  readonly schema: (table: string) => string;
  /** What its guards cannot do, one sentence each. */
  readonly warnings: readonly string[];
}

/** Throws `ERR_IDS_CONFIG` unless the table of the keys is there, permanent, beside that of the families. */
export async function assertKeyTable(
  run: Run,
  segments: string,
  keys: string,
  logs: boolean,
): Promise<FoundKeyTable> {
  const log = logTableOf(keys);
  const text = `
SELECT c.relpersistence, n.nspname::text AS found_in, n.oid = s.relnamespace AS together,
  (SELECT l.relpersistence FROM pg_class l WHERE l.oid = to_regclass($3)) AS log_persistence, ${TRIGGER_FACTS}, ${reignFacts()}
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_class s ON s.oid = to_regclass($2)
WHERE c.oid = to_regclass($1)`;
  const [row] = await run(text, [
    quotedTable(keys).table,
    quotedTable(segments).table,
    quotedTable(log).table,
  ]);
  const fault =
    row === undefined
      ? `is missing; create it with ${KEY_TABLE.create}`
      : row.relpersistence !== 'p'
        ? 'is not a permanent table, so a crash empties it'
        : row.together !== true
          ? `is not in the schema of ${segments}; name the schema in "table"`
          : logs && row.log_persistence !== 'p'
            ? `has no grant log ${log}, or one that a crash empties; create it with ensureKeyedSchema({ log: true })`
            : row.reign_columns === true && row.reign_usable === true
              ? undefined
              : `lacks rights or columns; run ${KEY_TABLE.create}, and grant what ${KEY_TABLE.grants} prints`;
  if (row === undefined || fault !== undefined) {
    throw new IdError('ERR_IDS_CONFIG', `${KEY_TABLE.what} ${keys} ${fault}`);
  }
  const check = { table: keys, embedded: false, log: undefined, wording: KEY_TABLE };
  return {
    schema: (table) => inSchema(table, row.found_in),
    warnings: triggerWarnings(row, check, guardTriggers('id_key')),
  };
}
