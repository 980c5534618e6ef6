import { IdError, isIdError, type StorePosition, type StoreProcedure } from '@ids/core';
import { type SqlExecutor, WrongTableError } from '@ids/store';
import { isDenied } from '@ids/store/mysql';
import { columnIds } from './column-ids.js';
import { dialectOfUrl, type NeededEntry, type NeededTable, NO_DATABASE, openDatabase } from './generators.js';
import { aboveOf, recordedIds } from './issued.js';
import { refusable, type SchemaStep, tableStep } from './schema-step.js';

export interface StepOptions {
  /** Whether a segment table has the procedure `ids_reserve`. */
  readonly procedure?: boolean | undefined;
  /** For `missingOf`: whether it rejects if what is there keeps generators from opening. */
  readonly usable?: boolean | undefined;
}

/** The steps that create what a table lacks; all steps if there is no database to query. */
export async function schemaSteps(
  database: SqlExecutor | undefined,
  needed: NeededTable,
  { procedure = false }: StepOptions = {},
): Promise<SchemaStep[]> {
  const { table, entries, store } = needed;
  const parts = database === undefined ? store.parts : await store.missing(database);
  const dialect = database?.dialect ?? dialectOfUrl(needed.database);
  const ddl = tableStep({ table, parts, sql: store.schema({ dialect }) }, (to) => store.ensure(to));
  const steps: SchemaStep[] = [];
  for (const entry of entries) {
    const there =
      database !== undefined &&
      !parts.includes('table') &&
      (await refusable(database, `read table ${table}`, 'SELECT', table, () => entry.store.exists(database)));
    if (!there) steps.push(await entryStep(database, needed, entry));
  }
  const extra = procedure ? store.procedure?.() : undefined;
  // It is made for the table as that will be.
  const lacks =
    extra !== undefined && (database === undefined || parts.length > 0 || (await extra.missing(database)));
  const last = lacks ? [procedureStep(table, extra)] : [];
  return [...(parts.length > 0 ? [ddl] : []), ...steps, ...last];
}

/** Rejects with `Unfixable` if what is there keeps generators of the config from opening for ever. */
export async function assertUsable(database: SqlExecutor, { store, entries }: NeededTable): Promise<void> {
  if ((await store.missing(database)).includes('table')) return;
  for (const { store: own } of entries) {
    await own.assertUsable?.(database).catch((error: unknown) => {
      if (!isIdError(error)) throw error;
      throw new Unfixable(error.code, error.message, { cause: error });
    });
  }
}

/** What no SQL would help: ids of a column that no sequence can follow, rows of another kind. */
export class Unfixable extends IdError {}

export function isHopeless(error: unknown): boolean {
  return error instanceof Unfixable || error instanceof WrongTableError;
}

/** The steps for the database in the config; changes nothing. */
export async function missingOf(needed: NeededTable, options?: StepOptions): Promise<SchemaStep[]> {
  try {
    await using database = await openDatabase(needed.database === NO_DATABASE ? undefined : needed.database);
    if (options?.usable === true) await assertUsable(database, needed);
    return await schemaSteps(database, needed, options);
  } catch (error) {
    throw namingGenerators(error, needed);
  }
}

/** Adds the names of the generators that need the table to the error. */
export function namingGenerators(error: unknown, { generators }: NeededTable): unknown {
  if (!isIdError(error)) return error;
  const names = generators.map((name) => `generators.${name}`).join(', ');
  return new IdError(error.code, `${names}: ${error.message}`, { cause: error });
}

/**
 * The entries with a position that exist already, and how far they are reserved. None without a table, or if
 * the role may not read that.
 */
export async function standingOf(
  database: SqlExecutor,
  { store, entries }: NeededTable,
): Promise<{ entry: NeededEntry; maxId: bigint }[]> {
  if (store.position === undefined || (await store.missing(database)).includes('table')) return [];
  const found: { entry: NeededEntry; maxId: bigint }[] = [];
  for (const entry of entries) {
    const maxId = await entry.store.position?.standsAt(database).catch((error: unknown) => {
      if (isDenied(error) || Object(error).code === '42501') return undefined;
      throw error;
    });
    if (maxId !== undefined) found.push({ entry, maxId });
  }
  return found;
}

function procedureStep(table: string, { name, sql, ensure }: StoreProcedure): SchemaStep {
  const what = `procedure ${name} for table ${table}`;
  const run = async (to: SqlExecutor): Promise<boolean> => {
    await refusable(to, `create ${what}`, 'CREATE', table, () => ensure(to));
    return true;
  };
  return { creates: [what], sql, run };
}

async function entryStep(
  database: SqlExecutor | undefined,
  needed: NeededTable,
  needs: NeededEntry,
): Promise<SchemaStep> {
  const { table } = needed;
  const { entry, shape, position } = needs.store;
  const dialect = database?.dialect ?? dialectOfUrl(needed.database);
  const start = database && position && (await startOf(database, needed, needs, position));
  const { startAfter, where } = start ?? { startAfter: 0n, where: '' };
  const after = startAfter === 0n ? '' : `, after ${startAfter}: the greatest id in ${where}`;
  return {
    creates: [`${entry} in table ${table}${shape === undefined ? '' : `, ${shape}`}${after}`],
    sql: needs.store.createSql({ startAfter, dialect }),
    run: (to) =>
      refusable(to, `create ${entry}`, 'INSERT', table, () => needs.store.create(to, { startAfter })),
  };
}

/** After which id a sequence that does not exist yet can start, and where that id was found. */
async function startOf(
  database: SqlExecutor,
  needed: NeededTable,
  entry: NeededEntry,
  { last, createdBy }: StorePosition,
): Promise<{ startAfter: bigint; where: string }> {
  const { name, columns } = entry;
  // Unlike what else is compared, a column must be read: a new sequence has nothing but its columns.
  for (const column of columns) {
    const { example } = await columnIds(database, needed.database, column);
    if (example === undefined) continue;
    throw new Unfixable(
      'ERR_IDS_CONFIG',
      `column ${column.name} holds "${example}", which may be an encoded ID of sequence "${name}", and SQL cannot decode it to find ` +
        `the greatest: create the sequence with ${createdBy}, whose startAfter must be that number`,
    );
  }
  const { upTo, where } = aboveOf(await recordedIds(database, needed, entry), 0) ?? { upTo: 0n, where: '' };
  if (upTo <= last) return { startAfter: upTo, where };
  throw new Unfixable(
    'ERR_IDS_CONFIG',
    `${where} holds ${upTo}, and a sequence ends at ${last}: no ID would be greater`,
  );
}
