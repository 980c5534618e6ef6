import { isIdError } from '@ids/core';
import type { SqlExecutor } from '@ids/store';
import { isDenied } from '@ids/store/mysql';
import { columnFacts } from './column.js';
import { type IdColumn, openDatabase } from './generators.js';
import { examplesIn, greatestDecimal } from './text-column.js';

/** What a column holds of the ids of a sequence. */
export interface ColumnIds {
  /** The greatest number; 0 if the column does not exist yet or is empty. */
  readonly greatest: bigint;
  /** One of the ids, where they are encoded: then SQL cannot find the greatest, which may be greater. */
  readonly example?: string | undefined;
}

/**
 * Reads the column for the ids of a sequence. `database` is the one of the sequence, at `from`; the column
 * may need a connection of its own. Changes nothing. Rejects if it may not be read.
 */
export async function columnIds(database: SqlExecutor, from: unknown, column: IdColumn): Promise<ColumnIds> {
  if (column.database === from) return idsOf(database, column);
  await using own = await openDatabase(column.database);
  return await idsOf(own, column);
}

async function idsOf(database: SqlExecutor, { name, codec }: IdColumn): Promise<ColumnIds> {
  const facts = await columnFacts(database, name).catch((error: unknown) => {
    // No such table, schema or column: the service's own migration has not run yet.
    const denied = Object(Object(error).cause).code === '42501' || isDenied(error);
    if (isIdError(error) && !denied) return undefined;
    throw error;
  });
  if (facts === undefined) return { greatest: 0n };
  if (facts.maxId !== undefined) return { greatest: facts.maxId };
  if (codec === undefined) return { greatest: (await greatestDecimal(database, name)) ?? 0n };
  const examples = await examplesIn(database, name, codec.guarantees.text.pattern);
  const numbers = examples.flatMap((text) => {
    try {
      return BigInt(codec.decode(text));
    } catch {
      return []; // Another key, or a text that only looks like an id.
    }
  });
  const [greatest = 0n] = numbers.toSorted((a, b) => (a < b ? 1 : -1));
  return { greatest, example: examples[0] };
}
