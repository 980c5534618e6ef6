import type { SqlExecutor } from '@ids/store';
import { columnFacts } from '../columns/column.js';
import type { FoundColumn } from '../columns/found-column.js';
import { examplesIn, greatestDecimal } from '../columns/text-column.js';
import { dialectOf } from '../dialects/any-dialect.js';
import { type IdColumn, openDatabase } from './generators.js';

/** What a column holds of the ids of a sequence. */
export interface ColumnIds {
  /** What was read, with its schema: `shop.orders.id`. */
  readonly found: string;
  /** The greatest number; 0 if there is none. */
  readonly greatest: bigint;
  /** Of plain numbers, if it was asked for. */
  readonly counter: FoundColumn['counter'];
  /** One of the ids, where they are encoded: then SQL cannot find the greatest, which may be greater. */
  readonly example?: string | undefined;
  /** The least number above the one that was given, if there is one and the database numbers the column. */
  readonly next?: bigint | undefined;
}

export interface WantedOfColumn {
  /** Whether to read what numbers the column as well, as in `columnFacts`. */
  readonly counted?: boolean;
  /** To find the least number above this one, of a column that the database numbers. */
  readonly above?: bigint;
}

/**
 * Reads the column for the ids of a sequence. `database` is the one of the sequence, at `from`; the column
 * may need a connection of its own. Changes nothing. Rejects as `columnFacts` does.
 */
export async function columnIds(
  database: SqlExecutor,
  from: unknown,
  column: IdColumn,
  wanted: WantedOfColumn = {},
): Promise<ColumnIds> {
  if (column.database === from) return idsOf(database, column, wanted);
  await using own = await openDatabase(column.database);
  return await idsOf(own, column, wanted);
}

async function idsOf(
  database: SqlExecutor,
  { name, codec }: IdColumn,
  { counted: wanted = false, above }: WantedOfColumn,
): Promise<ColumnIds> {
  // The numbers of encoded ids are others than those that the database gives.
  const counted = wanted && codec === undefined;
  const facts = await columnFacts(database, name, { counted });
  const { found, maxId, counter } = facts;
  if (maxId !== undefined) {
    const next =
      counter === undefined || above === undefined ? undefined : await nextAbove(database, facts, above);
    return { found, counter, greatest: maxId, next };
  }
  if (codec === undefined)
    return { found, counter, greatest: (await greatestDecimal(database, facts)) ?? 0n };
  const examples = await examplesIn(database, facts, codec.guarantees.text.pattern);
  const numbers = examples.flatMap((text) => {
    try {
      return BigInt(codec.decode(text));
    } catch {
      return []; // Another key, or a text that only looks like an id.
    }
  });
  const [greatest = 0n] = numbers.toSorted((a, b) => (a < b ? 1 : -1));
  return { found, counter, greatest, example: examples[0] };
}

async function nextAbove(
  database: SqlExecutor,
  { sql: { table, column } }: FoundColumn,
  id: bigint,
): Promise<bigint | undefined> {
  const { digits } = dialectOf(database);
  const text = `SELECT CAST(MIN(${column}) AS ${digits}) AS next FROM ${table} WHERE ${column} > ${id}`;
  const next = (await database.execute(text, [])).rows[0]?.next ?? undefined;
  return next === undefined ? undefined : BigInt(String(next));
}
