import { MAX_KEY_BYTES } from '@ids/keyed';
import { quotedTable, type SchemaPart, type SqlExecutor, type TableShape } from '@ids/store';
import {
  ensureGuardedTable,
  type GuardedTable,
  guardedTableSchema,
  missingParts,
  plainTableSchema,
  runOn,
} from '@ids/store/postgres';
import { NUMBER_TABLE, referenceTableOf, seriesTableOf } from '../table/names.js';

/** The series that there are, each with the reign in which it was created or accepted. */
const SERIES: TableShape = {
  what: 'table of series',
  columns: {
    series: 'text COLLATE "C" PRIMARY KEY',
    system_id: 'bigint',
    timeline: 'text',
    database_id: 'bigint',
    table_id: 'bigint',
    created_at: 'timestamptz NOT NULL DEFAULT now()',
  },
};

/** The documents that have named themselves, each with its numbers, in which the row is made first. */
const REFERENCES: TableShape = {
  what: 'table of references',
  columns: {
    series: 'text COLLATE "C" NOT NULL',
    reference: `bytea NOT NULL CHECK (length(reference) <= ${MAX_KEY_BYTES})`,
    sequence_key: 'bytea',
    first_number: 'bigint',
    last_number: 'bigint',
  },
  constraints: ['PRIMARY KEY (series, reference)'],
  options: 'WITH (fillfactor = 70)',
  key: 'PRIMARY KEY (series, reference)',
};

/** A row for each key that has a number. Keys are bytes, as those of `@ids/keyed`. */
function numbersOf(table: string): GuardedTable {
  return {
    wording: NUMBER_TABLE,
    prefix: 'id_number',
    reign: false,
    shape: {
      what: NUMBER_TABLE.what,
      columns: {
        series: `text COLLATE "C" NOT NULL REFERENCES ${quotedTable(seriesTableOf(table)).table}`,
        sequence_key: `bytea NOT NULL CHECK (length(sequence_key) <= ${MAX_KEY_BYTES})`,
        last_number: 'bigint NOT NULL CHECK (last_number BETWEEN 1 AND 9007199254740991)',
      },
      constraints: ['PRIMARY KEY (series, sequence_key)'],
      options: 'WITH (fillfactor = 70)',
      key: 'PRIMARY KEY (series, sequence_key)',
    },
    added: {},
    keeps:
      'NEW.last_number >= OLD.last_number AND NEW.series = OLD.series AND NEW.sequence_key = OLD.sequence_key',
  };
}

/** `numberSchema` for Postgres 14 or later: one statement for each table. */
export function numberSchema(table: string): string {
  return plainTables(table).join('') + guardedTableSchema(numbersOf(table), table, false);
}

/** `ensureNumberSchema` on Postgres. */
export async function ensureNumberSchema(executor: SqlExecutor, table: string): Promise<void> {
  const run = runOn(executor, seriesTableOf(table), NUMBER_TABLE);
  for (const plain of plainTables(table)) await run(plain, []);
  await ensureGuardedTable(numbersOf(table), executor, table, false);
}

function plainTables(table: string): string[] {
  return [
    plainTableSchema(SERIES, seriesTableOf(table)),
    plainTableSchema(REFERENCES, referenceTableOf(table)),
  ];
}

/** `missingNumberSchema` on Postgres. The table of the numbers is created after the other two. */
export async function missingNumberSchema(executor: SqlExecutor, table: string): Promise<SchemaPart[]> {
  return await missingParts(numbersOf(table), executor, table, false);
}
