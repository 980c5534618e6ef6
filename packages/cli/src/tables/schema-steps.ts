import { IdError, isIdError, type StorePosition, type StoreProcedure } from '@ids/core';
import { type SqlExecutor, WrongTableError } from '@ids/store';
import { hiddenRows } from '@ids/store/postgres';
import { dialectOf } from '../dialects/any-dialect.js';
import { columnIds } from './column-ids.js';
import {
  bounded,
  dialectOfUrl,
  type NeededEntry,
  type NeededTable,
  NO_DATABASE,
  openDatabase,
} from './generators.js';
import { aboveOf, type Issued, recordedIds } from './issued.js';
import { refusable, type SchemaStep, type SequenceStart, tableStep } from './schema-step.js';
import { movesOf, schemaOf } from './table-home.js';

export interface StepOptions {
  /** Whether a segment table has the procedure `ids_reserve`. */
  readonly procedure?: boolean | undefined;
  /** The least id after which a new sequence starts; then a column that cannot be read does not matter. */
  readonly startAfter?: number | undefined;
  /** For `missingOf`: whether it rejects if what is there keeps generators from opening. */
  readonly usable?: boolean | undefined;
}

/** The steps that create what a table lacks; all steps if there is no database to query. */
export async function schemaSteps(
  database: SqlExecutor | undefined,
  needed: NeededTable,
  { procedure = false, startAfter }: StepOptions = {},
): Promise<SchemaStep[]> {
  const { table, entries, store } = needed;
  // Its own tables answer at once. A column without an index takes its time.
  const own = database && bounded(database);
  const parts = own === undefined ? store.parts : await store.missing(own);
  const dialect = database?.dialect ?? dialectOfUrl(needed.database);
  const ddl = tableStep({ table, parts, sql: store.schema({ dialect }) }, (to) => store.ensure(to));
  const steps: SchemaStep[] = [];
  if (dialectOf({ dialect }).createsSchemas && parts.includes('table')) {
    const isNew = startAfter !== undefined || store.position === undefined;
    const moves = database === undefined || isNew ? [] : await movesOf(database, table);
    if (moves.length > 0) throw notMoved(table, moves);
    const schema = await schemaOf(database, table);
    if (schema !== undefined) steps.push(schema);
  }
  if (parts.length > 0) steps.push(ddl);
  for (const entry of entries) {
    const there =
      own !== undefined &&
      !parts.includes('table') &&
      (await refusable(own, { what: `read table ${table}`, right: 'SELECT', table }, () =>
        entry.store.exists(own),
      ));
    if (!there && own !== undefined && !parts.includes('table')) {
      await assertVisible(own, table, entry.store.entry);
    }
    if (!there) steps.push(await entryStep(database, needed, entry, startAfter));
  }
  const extra = procedure ? store.procedure?.() : undefined;
  // It is made for the table as that will be.
  const lacks =
    extra !== undefined && (database === undefined || parts.length > 0 || (await extra.missing(database)));
  const last = lacks ? [procedureStep(table, extra)] : [];
  return [...steps, ...last];
}

/** A row that the role does not see may exist: what is created beside it, or instead of it, starts anew. */
async function assertVisible(database: SqlExecutor, table: string, entry: string): Promise<void> {
  if ((await dialectOf(database).roles?.hidesRows(database, table)) !== true) return;
  throw new Unfixable(
    'ERR_IDS_CONFIG',
    `${entry} is missing in table ${table}, or ${hiddenRows(table)}. As a role that sees all rows, such as the owner, npx --no -- ids doctor says which it is`,
  );
}

/** Ids may have been taken from the other one so far, and those that this one issues would repeat them. */
function notMoved(table: string, moves: readonly string[]): Unfixable {
  return new Unfixable(
    'ERR_IDS_CONFIG',
    `table ${table} is missing, and there is one of this name in another schema. If IDs are taken from that one, stop its processes and move it: ${moves.join('; ')}. ` +
      'If it has nothing to do with this one: npx --no -- ids apply --start-after <the greatest ID that was issued, 0 for none>',
  );
}

/** Rejects with `Unfixable` if what is there keeps generators of the config from opening for ever. */
export async function assertUsable(database: SqlExecutor, { store, entries }: NeededTable): Promise<void> {
  if ((await store.missing(database)).includes('table')) return;
  for (const { store: own } of entries) {
    await own.assertUsable?.(bounded(database)).catch((error: unknown) => {
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
      if (dialectOf(database).roles?.isDenied(error) === true) return undefined;
      throw error;
    });
    if (maxId !== undefined) found.push({ entry, maxId });
  }
  return found;
}

function procedureStep(table: string, { name, sql, ensure }: StoreProcedure): SchemaStep {
  const what = `procedure ${name} for table ${table}`;
  const run = async (to: SqlExecutor): Promise<boolean> => {
    await refusable(to, { what: `create ${what}`, right: 'CREATE', table }, () => ensure(to));
    return true;
  };
  return { creates: [what], sql, run };
}

async function entryStep(
  database: SqlExecutor | undefined,
  needed: NeededTable,
  needs: NeededEntry,
  given: number | undefined,
): Promise<SchemaStep> {
  const { table } = needed;
  const { entry, shape, position } = needs.store;
  const dialect = database?.dialect ?? dialectOfUrl(needed.database);
  const { start, notes = [] } =
    position === undefined ? {} : await startOf(database, needed, needs, position, given);
  const startAfter = BigInt(start?.startAfter ?? 0);
  return {
    creates: [
      `${entry} in table ${table}${shape === undefined ? '' : `, ${shape}`}${start ? startText(start) : ''}`,
    ],
    start,
    notes,
    sql: needs.store.createSql({ startAfter, dialect }),
    run: (to) =>
      refusable(to, { what: `create ${entry}`, right: 'INSERT', table }, () =>
        needs.store.create(to, { startAfter }),
      ),
  };
}

/** What only the sequence itself can have written. */
function usedBefore(name: string, { where, upTo }: Issued): string {
  return `sequence "${name}" was used before, since ${where} holds ${upTo}: processes of that time may hold IDs above it, so restart them before others start`;
}

function startText({ startAfter, read, where }: SequenceStart): string {
  if (where !== undefined) return `, after ${startAfter}: the greatest id in ${where}`;
  if (startAfter > 0) return `, after ${startAfter}, as --start-after says`;
  return read.length === 0 ? '' : `, at 1: there are no ids in ${read.join(' and ')}`;
}

/** Whether it is known why a column cannot be read, so that somebody may say where its sequence starts. */
function isUnreadable(error: unknown): error is IdError {
  return isIdError(error) && error.code === 'ERR_IDS_CONFIG' && !(error instanceof Unfixable);
}

/**
 * After which id a sequence that does not exist yet can start, and where that id was found. Unlike what else
 * is compared, a column must be read: a new sequence has nothing but its columns. So one that cannot be read
 * is refused, unless whoever runs this says where the sequence starts.
 */
async function startOf(
  database: SqlExecutor | undefined,
  needed: NeededTable,
  entry: NeededEntry,
  { last, createdBy }: StorePosition,
  given: number | undefined,
): Promise<{ start: SequenceStart; notes: string[] }> {
  const { name, columns } = entry;
  const { table } = needed;
  // What cannot be read, somebody has to say.
  const unknownStart = (why: string, cause?: unknown): Unfixable =>
    new Unfixable(
      'ERR_IDS_CONFIG',
      `${why}. If that is as it should be, as before the table exists: npx --no -- ids apply --start-after <the greatest ID that was issued, 0 for none>, or ${createdBy} with startAfter`,
      { cause },
    );
  if (database === undefined) {
    const [column] = columns;
    if (column !== undefined && given === undefined)
      throw unknownStart(
        `column ${column.name} was not read, so it is not known where sequence "${name}" starts`,
      );
    return { start: { sequence: name, table, startAfter: given ?? 0, read: [] }, notes: [] };
  }
  const read: string[] = [];
  for (const column of columns) {
    try {
      const { found, example } = await columnIds(database, needed.database, column);
      read.push(found);
      if (example === undefined || given !== undefined) continue;
      throw unknownStart(
        `column ${column.name} holds "${example}", which may be an encoded ID of sequence "${name}", and SQL cannot decode it to find the greatest`,
      );
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      if (given === undefined) throw unknownStart(error.message, error);
    }
  }
  const least = { where: '', upTo: BigInt(given ?? 0) };
  const recorded = await recordedIds(database, needed, entry, { counters: true });
  // A column that was read just now, and not this time: without it, the start would be too low.
  const failed = recorded.unread.find(
    ({ isColumn, error }) => isColumn && !(given !== undefined && isUnreadable(error)),
  );
  if (failed !== undefined) throw failed.error;
  const notes = [
    ...recorded.issued
      .filter((one) => one.upTo > 0n && one.isOwn === true)
      .map((one) => usedBefore(name, one)),
    ...recorded.unread.filter(({ isColumn }) => !isColumn).map(({ text }) => `not compared with ${text}`),
  ];
  const { upTo, where } = aboveOf(recorded, least.upTo) ?? least;
  if (upTo <= last) {
    const start = { sequence: name, table, startAfter: Number(upTo), read, ...(where !== '' && { where }) };
    return { start, notes };
  }
  throw new Unfixable(
    'ERR_IDS_CONFIG',
    `${where} holds ${upTo}, and a sequence ends at ${last}: no ID would be greater`,
  );
}
