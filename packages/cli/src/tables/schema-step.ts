import { IdError, isIdError, type StorePart } from '@ids/core';
import { quotedTable, type SqlExecutor } from '@ids/store';
import { isDenied } from '@ids/store/mysql';
import { currentRole } from '../columns/postgres-column.js';
import { isMysql, mysqlServer } from './mysql-queries.js';

/** Where a sequence that does not exist yet starts. */
export interface SequenceStart {
  readonly sequence: string;
  readonly table: string;
  /** The first id is the one after this. */
  readonly startAfter: number;
  /** The columns that were read for it, with their schemas. */
  readonly read: readonly string[];
  /** Where the id that it starts after was found; absent if it starts at 1. */
  readonly where?: string;
}

/** Something that a table lacks, and how to create it. */
export interface SchemaStep {
  /** What it creates, one entry each: `table id_segment`. */
  readonly creates: readonly string[];
  /** Of a sequence. */
  readonly start?: SequenceStart | undefined;
  /** What whoever takes the step should know. */
  readonly notes?: readonly string[];
  /** The SQL for a migration, safe to run again. */
  readonly sql: string;
  /** Resolves with false if somebody else has created it in the meantime. */
  run(database: SqlExecutor): Promise<boolean>;
}

/** Creates the parts of a table that are missing; `sql` is its whole DDL, and `ensure` applies that. */
export function tableStep(
  { table, parts, sql }: { table: string; parts: readonly StorePart[]; sql: string },
  ensure: (database: SqlExecutor) => Promise<unknown>,
): SchemaStep {
  const names = {
    table: `table ${table}`,
    guards: `guards of table ${table}`,
    log: `grant log ${table}_log`,
    keys: `key table ${table}_key`,
    'key-guards': `guards of key table ${table}_key`,
    'key-log': `grant log ${table}_key_log`,
  };
  const creates = parts.map((part) => names[part]);
  return {
    creates,
    sql,
    run: async (database) => {
      await refusable(database, `create ${creates.join(' and ')}`, 'CREATE', table, () => ensure(database));
      return true;
    },
  };
}

/** Runs `act`. If the role may not, the error names the role, the right and the statement that grants it. */
export async function refusable<T>(
  database: SqlExecutor,
  what: string,
  right: 'CREATE' | 'CREATE SCHEMA' | 'INSERT' | 'SELECT',
  table: string,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (isMysql(database)) throw isDenied(error) ? await deniedByMysql(error, database, what) : error;
    const cause = isIdError(error) ? error.cause : error;
    if ((Object(cause) as { code?: unknown }).code !== '42501') throw error;
    const { role, schema, catalog } = await currentRole(database);
    const on =
      right === 'CREATE SCHEMA'
        ? `DATABASE "${catalog}"`
        : right === 'CREATE'
          ? `SCHEMA "${table.includes('.') ? table.split('.')[0] : schema}"`
          : quotedTable(table).table;
    // createSequence also reads what it returns.
    const rights = right === 'INSERT' ? 'SELECT, INSERT' : right.replace(' SCHEMA', '');
    throw new IdError(
      'ERR_IDS_CONFIG',
      `role "${role}" may not ${what}: ${(cause as Error).message}. Grant the right with GRANT ${rights} ON ${on} TO "${role}"; ` +
        'or let another role run the output of npx --no -- ids apply --dry-run',
      { cause: error },
    );
  }
}

/** On MySQL the message of the server names the right. */
async function deniedByMysql(error: unknown, database: SqlExecutor, what: string): Promise<IdError> {
  const { role } = await mysqlServer(database);
  return new IdError(
    'ERR_IDS_CONFIG',
    `account "${role}" may not ${what}: ${(error as Error).message}; let another account run the output of npx --no -- ids apply --dry-run`,
    { cause: error },
  );
}
