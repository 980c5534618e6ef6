import type { StorePart } from '@ids/core';
import type { SqlExecutor } from '@ids/store';
import { dialectOf } from '../dialects/any-dialect.js';
import type { Refused } from '../dialects/dialect.js';

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
      const what = `create ${creates.join(' and ')}`;
      await refusable(database, { what, right: 'CREATE', table }, () => ensure(database));
      return true;
    },
  };
}

/** Runs `act`. If the role may not, the error names the role, the right and the statement that grants it. */
export async function refusable<T>(
  database: SqlExecutor,
  refused: Refused,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const { roles } = dialectOf(database);
    if (roles?.isDenied(error) !== true) throw error;
    throw await roles.denied(database, error, refused);
  }
}
