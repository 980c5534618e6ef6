import { MAX_KEY_BYTES } from '@ids/keyed';
import type { SchemaPart, SqlExecutor } from '@ids/store';
import {
  ensureSqliteTable,
  insertedReign,
  missingSqliteParts,
  notReplaced,
  refuse,
  type SqliteGuardedTable,
  sqliteGuardedSchema,
  sqliteTable,
} from '@ids/store/sqlite';
import { NUMBER_TABLE, referenceTableOf, seriesTableOf } from '../table/names.js';
import { seriesOf } from './statements.js';

/** As on Postgres. Foreign keys are off unless a connection has them on, so triggers do their work. */
function seriesIn(table: string): SqliteGuardedTable {
  return {
    wording: NUMBER_TABLE,
    shape: {
      what: 'table of series',
      columns: {
        series: 'text NOT NULL PRIMARY KEY',
        reign_server: 'text',
        created_at: `text NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))`,
      },
      options: 'WITHOUT ROWID',
    },
    triggers: ({ quoted }) => ({
      update: [`BEFORE UPDATE OF series ON ${quoted}`, refuse('UPDATE rejected: a series cannot be renamed')],
      delete: [
        `BEFORE DELETE ON ${quoted} WHEN EXISTS (SELECT 1 FROM ${sqliteTable(table).quoted} WHERE series = OLD.series)`,
        refuse('DELETE rejected: numbers of the series have been used'),
      ],
      replace: notReplaced(quoted, 'series'),
      insert: [
        `AFTER INSERT ON ${quoted} WHEN NEW.reign_server IS NOT NULL`,
        insertedReign(quoted, 'series'),
      ],
    }),
  };
}

/** As on Postgres, with the numbers from the start: nobody waits for a document alone. */
const REFERENCES: SqliteGuardedTable = {
  wording: NUMBER_TABLE,
  shape: {
    what: 'table of references',
    columns: {
      series: 'text NOT NULL',
      reference: 'text NOT NULL',
      sequence_key: 'text NOT NULL',
      first_number: 'integer NOT NULL',
      last_number: 'integer NOT NULL',
    },
    constraints: ['PRIMARY KEY (series, reference)'],
    options: 'WITHOUT ROWID',
  },
  triggers: () => ({}),
};

/** As on Postgres. */
function numbersIn(table: string): SqliteGuardedTable {
  return {
    wording: NUMBER_TABLE,
    shape: {
      what: NUMBER_TABLE.what,
      columns: {
        series: 'text NOT NULL',
        sequence_key: 'text NOT NULL',
        last_number: 'integer NOT NULL',
      },
      constraints: [
        'PRIMARY KEY (series, sequence_key)',
        `CHECK (typeof(last_number) = 'integer' AND last_number BETWEEN 1 AND 9007199254740991)`,
        `CHECK (length(sequence_key) <= ${2 * MAX_KEY_BYTES} AND length(sequence_key) % 2 = 0 AND sequence_key NOT GLOB '*[^0-9a-f]*')`,
      ],
      options: 'WITHOUT ROWID',
    },
    triggers: ({ quoted }) => ({
      update: [
        `BEFORE UPDATE ON ${quoted} WHEN NEW.last_number < OLD.last_number OR NEW.series <> OLD.series OR NEW.sequence_key <> OLD.sequence_key`,
        refuse('UPDATE rejected: last_number can only increase, and rows cannot be renamed'),
      ],
      delete: [`BEFORE DELETE ON ${quoted}`, refuse('DELETE rejected: numbers of this key have been used')],
      replace: notReplaced(quoted, 'series', 'sequence_key'),
      of: [
        `BEFORE INSERT ON ${quoted} WHEN NOT EXISTS (SELECT 1 FROM ${seriesOf(table).quoted} WHERE series = NEW.series)`,
        refuse('INSERT rejected: there is no such series'),
      ],
    }),
  };
}

function tablesOf(table: string): [guarded: SqliteGuardedTable, name: string][] {
  return [
    [seriesIn(table), seriesTableOf(table)],
    [REFERENCES, referenceTableOf(table)],
    [numbersIn(table), table],
  ];
}

/** `numberSchema` for SQLite. */
export function sqliteNumberSchema(table: string): string {
  return tablesOf(table)
    .map(([guarded, name]) => sqliteGuardedSchema(guarded, name, false))
    .join('\n');
}

/** `ensureNumberSchema` on SQLite. */
export async function ensureSqliteNumberSchema(executor: SqlExecutor, table: string): Promise<void> {
  for (const [guarded, name] of tablesOf(table)) await ensureSqliteTable(guarded, executor, name, false);
}

/** `missingNumberSchema` on SQLite. */
export async function missingSqliteNumberSchema(executor: SqlExecutor, table: string): Promise<SchemaPart[]> {
  const parts = new Set<SchemaPart>();
  for (const [guarded, name] of tablesOf(table))
    for (const part of await missingSqliteParts(guarded, executor, name, false)) parts.add(part);
  return [...parts];
}
