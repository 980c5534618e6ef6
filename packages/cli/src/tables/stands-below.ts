import type { SqlExecutor } from '@ids/store';
import { columnIds } from './column-ids.js';
import { STOP_FIRST } from './fixes.js';
import type { NeededEntry, NeededTable } from './generators.js';
import { aboveOf, type Issued, issuedIds, namesOf, repeatsText } from './issued.js';

/**
 * Room below the rows of a counter: with less, it is not taken for one that was moved out of the way. The
 * bounds of docs/migrating.md are much further apart.
 */
const FAR = 100_000n;

/** How a sequence stands below ids of its columns, of the grant log or of Redis. */
export interface StandsBelow {
  readonly repeats?: {
    readonly text: string;
    /** The least floor that would be right. */
    readonly upTo: bigint;
    /** What comes before raising it: a clause that the command follows. */
    readonly first: string;
  };
  /** What else numbers columns above the sequence, as while a migration or a swap lasts. */
  readonly beside: readonly string[];
}

/**
 * Whether a sequence that is reserved up to `reserved` would issue ids again. Ids that a column still gets
 * from `AUTO_INCREMENT`, `serial` or the like are none of the sequence: as long as the next of them is far
 * above it, that is the state of a migration, and a floor above them would take the numbers that are about to
 * be given. The same holds for a column that another generator of the config numbers as well, as in a swap.
 * Changes nothing; rejects as `columnFacts` does.
 */
export async function standsBelow(
  database: SqlExecutor,
  needed: NeededTable,
  entry: NeededEntry,
  reserved: number | bigint,
): Promise<StandsBelow> {
  const known = await issuedIds(database, needed, entry);
  if (aboveOf(known, reserved) === undefined) return { beside: [] };
  // What was issued since the row was read is above it as well.
  const last = (await entry.store.position?.standsAt(database)) ?? BigInt(reserved);
  if (aboveOf(known, last) === undefined) return { beside: [] };
  const columns = await Promise.all(
    entry.columns.map((column) =>
      columnIds(database, needed.database, column, { counted: true, above: last }),
    ),
  );
  const counted = columns.filter(({ counter }) => counter !== undefined && counter.upTo > last);
  const far = counted.filter(({ next }) => next !== undefined && next - last > FAR);
  const swapped = known.issued.filter(({ upTo, others = [] }) => upTo > last && others.length > 0);
  const found = new Set([...far.map((column) => column.found), ...swapped.map(({ where }) => where)]);
  const issued = known.issued.filter((one) => one.isOwn === true || !found.has(one.where));
  const beside = [
    ...far.map(({ counter, next }) => besideText(counter?.where, next)),
    ...swapped.map(swapText),
  ];
  const above = aboveOf({ ...known, issued }, last);
  if (above === undefined) return { beside };
  const near = counted.find((column) => column.found === above.where)?.counter?.where;
  const once = near === undefined ? '' : `, once no process takes numbers of ${near} any more,`;
  return {
    beside,
    repeats: { text: repeatsText(above, last), upTo: above.upTo, first: `${STOP_FIRST}${once}` },
  };
}

function besideText(counter: string | undefined, next: bigint | undefined): string {
  return `${counter} still gives numbers above it (the next row has ${next}), as during a migration: do not raise it above them before that has ended`;
}

function swapText({ where, upTo, others = [] }: Issued): string {
  return `${where} holds ${upTo}, above it, and is also the column of ${namesOf(others)}, as during a swap: do not raise it above those IDs, and remove the old generator from the config after the last npx --no -- ids swap ... --check`;
}
