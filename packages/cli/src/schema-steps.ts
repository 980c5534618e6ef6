import { IdError, isIdError } from '@ids/core';
import {
  createSequence,
  ensureSchema,
  type LackingRights,
  lackingRights,
  missingSchema,
  quotedTable,
  type SchemaPart,
  type SqlExecutor,
  type SqlResult,
  segmentSchema,
  sequenceSql,
  WrongTableError,
} from '@ids/segment/sql';
import { lackingSlotRights, SlotLayoutError } from '@ids/snowflake/sql';
import { columnIds } from './column-ids.js';
import {
  dialectOfUrl,
  type NeededSequence,
  type NeededTable,
  NO_DATABASE,
  openDatabase,
} from './generators.js';
import { aboveOf, issuedIds } from './issued.js';
import { isDeniedByMysql, isMysql, mysqlSequences } from './mysql-queries.js';
import { procedureSteps } from './procedure-step.js';
import { refusable, type SchemaStep, tableStep } from './schema-step.js';
import { assertSlotLayouts, slotSteps } from './slot-steps.js';

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
  const { table, log, sequences, kind } = needed;
  if (kind === 'slots') return slotSteps(database, needed);
  const parts: SchemaPart[] =
    database === undefined
      ? ['table', ...(log ? ['log' as const] : [])]
      : await missingSchema(database, { table, log });
  const dialect = database?.dialect ?? dialectOfUrl(needed.database);
  const ddl = tableStep({ table, parts, sql: segmentSchema(table, { log, dialect }) }, (to) =>
    ensureSchema(to, { table, log }),
  );
  const there =
    database === undefined || parts.includes('table')
      ? []
      : await refusable(database, `read table ${table}`, 'SELECT', table, () =>
          rowsIn(database, table, { reserved: false }),
        );
  const names = there.map(({ server_name }) => String(server_name));
  const missing = sequences.filter(({ name }) => !names.includes(name));
  const steps = missing.map((sequence) => sequenceStep(database, needed, sequence));
  const last = procedure ? await procedureSteps(database, needed, parts.length > 0) : [];
  return [...(parts.length > 0 ? [ddl] : []), ...(await Promise.all(steps)), ...last];
}

/** The rights on a table that the role lacks. */
export function rightsLacked(database: SqlExecutor, needed: NeededTable): Promise<LackingRights> {
  const { kind, table, log } = needed;
  return kind === 'slots'
    ? lackingSlotRights(database, { table, log })
    : lackingRights(database, { table, log });
}

/** Rejects if what is there keeps generators of the config from opening, and no step would change that. */
export async function assertUsable(database: SqlExecutor, needed: NeededTable): Promise<void> {
  if (needed.kind === 'slots') await assertSlotLayouts(database, needed);
}

/**
 * Whether an error says that no SQL would help: it would begin below the ids of a column, or the slots or the
 * table are of another kind.
 */
export function isHopeless(error: unknown): boolean {
  return [NoStart, SlotLayoutError, WrongTableError].some((kind) => error instanceof kind);
}

/** The steps for the database in the config; changes nothing. */
export async function missingOf(needed: NeededTable, options?: StepOptions): Promise<SchemaStep[]> {
  try {
    const database = await openDatabase(needed.database === NO_DATABASE ? undefined : needed.database);
    try {
      if (options?.usable === true) await assertUsable(database, needed);
      return await schemaSteps(database, needed, options);
    } finally {
      await database.close();
    }
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
 * The sequences that exist already, and how far they are reserved. None without a table, or if the role may
 * read no more than names.
 */
export async function standingOf(
  database: SqlExecutor,
  { table, log, sequences }: NeededTable,
): Promise<{ sequence: NeededSequence; maxId: bigint }[]> {
  if ((await missingSchema(database, { table, log })).includes('table')) return [];
  const rows = await rowsIn(database, table, { reserved: true }).catch((error: unknown) => {
    if (isDeniedByMysql(error) || Object(error).code === '42501') return [];
    throw error;
  });
  return sequences.flatMap((sequence) => {
    const row = rows.find(({ server_name }) => String(server_name) === sequence.name);
    return row === undefined ? [] : [{ sequence, maxId: BigInt(String(row.max_id)) }];
  });
}

async function rowsIn(
  database: SqlExecutor,
  table: string,
  asked: { readonly reserved: boolean },
): Promise<SqlResult['rows']> {
  if (isMysql(database)) return mysqlSequences(database, table, asked);
  const columns = asked.reserved ? 'server_name, max_id' : 'server_name';
  return (await database.execute(`SELECT ${columns} FROM ${quotedTable(table).table}`, [])).rows;
}

async function sequenceStep(
  database: SqlExecutor | undefined,
  needed: NeededTable,
  sequence: NeededSequence,
): Promise<SchemaStep> {
  const { table } = needed;
  const { name, group } = sequence;
  const dialect = database?.dialect ?? dialectOfUrl(needed.database);
  const start = database && (await startOf(database, needed, sequence));
  const { startAfter, where } = start ?? { startAfter: 0, where: '' };
  const options = { table, group, startAfter };
  const after = startAfter === 0 ? '' : `, after ${startAfter}: the greatest id in ${where}`;
  return {
    creates: [`sequence ${name} in table ${table}${after}`],
    sql: sequenceSql(name, { ...options, dialect }),
    run: (to) =>
      refusable(to, `create sequence ${name}`, 'INSERT', table, async () => {
        const { created } = await createSequence(to, name, options);
        return created;
      }),
  };
}

/** A column holds ids after which no sequence can start, or it is unknown where. */
export class NoStart extends IdError {}

/** After which id a sequence that does not exist yet can start, and where that id was found. */
async function startOf(
  database: SqlExecutor,
  needed: NeededTable,
  sequence: NeededSequence,
): Promise<{ startAfter: number; where: string }> {
  const { name, columns } = sequence;
  // Unlike what else is compared, a column must be read: a new sequence has nothing but its columns.
  for (const column of columns) {
    const { example } = await columnIds(database, needed.database, column);
    if (example === undefined) continue;
    throw new NoStart(
      'ERR_IDS_CONFIG',
      `column ${column.name} holds "${example}", which may be an encoded ID of sequence "${name}", and SQL cannot decode it to find ` +
        `the greatest: create the sequence with createSequence of @ids/segment/sql, whose startAfter must be that number`,
    );
  }
  const { upTo, where } = aboveOf(await issuedIds(database, needed, sequence), 0) ?? { upTo: 0n, where: '' };
  if (upTo <= BigInt(Number.MAX_SAFE_INTEGER)) return { startAfter: Number(upTo), where };
  throw new NoStart(
    'ERR_IDS_CONFIG',
    `${where} holds ${upTo}, and a sequence ends at ${Number.MAX_SAFE_INTEGER}: no ID would be greater`,
  );
}
