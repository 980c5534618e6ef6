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
  const rivals = await rivalTexts(database, entry, BigInt(reserved));
  const known = await issuedIds(database, needed, entry);
  if (aboveOf(known, reserved) === undefined) return { beside: rivals };
  // What was issued since the row was read is above it as well.
  const last = (await entry.store.position?.standsAt(database)) ?? BigInt(reserved);
  if (aboveOf(known, last) === undefined) return { beside: rivals };
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
    ...rivals,
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

/** Of other sequences of its columns that it would soon run into, or that may be among its ids already. */
async function rivalTexts(
  database: SqlExecutor,
  { store, columns }: NeededEntry,
  reserved: bigint,
): Promise<string[]> {
  if (store.byKey === true) return [];
  const all = columns.flatMap(({ name, rivals }) => rivals.map((rival) => ({ name, rival })));
  const texts = all.map(async ({ name, rival }) => {
    // One that is missing has no ids.
    const found = await rival.describe(database).catch(() => undefined);
    const above = found === undefined ? -1n : BigInt(found.reserved) - reserved;
    if (above < 0n || above > FAR) return [];
    return [
      `${rival.entry} is reserved up to ${found?.reserved} and has the same column ${name}: if both issue IDs, they issue the same ones. Give both generators the same "name", or after a swap, remove the old one from the config`,
    ];
  });
  return (await Promise.all(texts)).flat();
}

function besideText(counter: string | undefined, next: bigint | undefined): string {
  return `${counter} still gives numbers above it (the next row has ${next}), as during a migration: do not raise it above them before that has ended`;
}

function swapText({ where, upTo, others = [] }: Issued): string {
  return `${where} holds ${upTo}, above it, and is also the column of ${namesOf(others)}, as during a swap: do not raise it above those IDs, and remove the old generator from the config after the last npx --no -- ids swap ... --check`;
}
