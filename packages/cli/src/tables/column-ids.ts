import type { SqlExecutor } from '@ids/store';
import { columnFacts } from '../columns/column.js';
import type { FoundColumn } from '../columns/found-column.js';
import { examplesIn, greatestDecimal } from '../columns/text-column.js';
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
}

/**
 * Reads the column for the ids of a sequence. `database` is the one of the sequence, at `from`; the column
 * may need a connection of its own. `counted` as in `columnFacts`. Changes nothing. Rejects as `columnFacts`
 * does.
 */
export async function columnIds(
  database: SqlExecutor,
  from: unknown,
  column: IdColumn,
  counted: boolean,
): Promise<ColumnIds> {
  if (column.database === from) return idsOf(database, column, counted);
  await using own = await openDatabase(column.database);
  return await idsOf(own, column, counted);
}

async function idsOf(database: SqlExecutor, { name, codec }: IdColumn, wanted: boolean): Promise<ColumnIds> {
  // The numbers of encoded ids are others than those that the database gives.
  const counted = wanted && codec === undefined;
  const facts = await columnFacts(database, name, { counted });
  const { found, maxId, counter } = facts;
  if (maxId !== undefined) return { found, counter, greatest: maxId };
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
