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
  segmentSchema,
  sequenceSql,
} from '@ids/segment/sql';
import { lackingSlotRights } from '@ids/snowflake/sql';
import { columnFacts } from './column.js';
import {
  dialectOfUrl,
  type IdColumn,
  type NeededSequence,
  type NeededTable,
  NO_DATABASE,
  openDatabase,
} from './generators.js';
import { isDeniedByMysql, isMysql, mysqlSequences } from './mysql-queries.js';
import { refusable, type SchemaStep, tableStep } from './schema-step.js';
import { slotSteps } from './slot-steps.js';
import { exampleIn, greatestDecimal } from './text-column.js';

/** The steps that create what a table lacks; all steps if there is no database to query. */
export async function schemaSteps(
  database: SqlExecutor | undefined,
  needed: NeededTable,
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
    database === undefined || parts.includes('table') ? [] : await sequencesIn(database, table, sequences);
  const missing = sequences.filter(({ name }) => !there.includes(name));
  const steps = missing.map((sequence) => sequenceStep(database, needed, sequence));
  return [...(parts.length > 0 ? [ddl] : []), ...(await Promise.all(steps))];
}

/** The rights on a table that the role lacks. */
export function rightsLacked(database: SqlExecutor, needed: NeededTable): Promise<LackingRights> {
  const { kind, table, log } = needed;
  return kind === 'slots'
    ? lackingSlotRights(database, { table, log })
    : lackingRights(database, { table, log });
}

/** The steps for the database in the config; changes nothing. */
export async function missingOf(needed: NeededTable): Promise<SchemaStep[]> {
  try {
    const database = await openDatabase(needed.database === NO_DATABASE ? undefined : needed.database);
    try {
      return await schemaSteps(database, needed);
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

async function sequencesIn(
  database: SqlExecutor,
  table: string,
  sequences: readonly NeededSequence[],
): Promise<unknown[]> {
  if (isMysql(database)) {
    return refusable(database, `read table ${table}`, 'SELECT', table, () => mysqlSequences(database, table));
  }
  const text = `SELECT server_name FROM ${quotedTable(table).table} WHERE server_name = ANY($1::text[])`;
  const { rows } = await refusable(database, `read table ${table}`, 'SELECT', table, () =>
    database.execute(text, [sequences.map(({ name }) => name)]),
  );
  return rows.map(({ server_name }) => server_name);
}

async function sequenceStep(
  database: SqlExecutor | undefined,
  needed: NeededTable,
  { name, group, columns }: NeededSequence,
): Promise<SchemaStep> {
  const { table } = needed;
  const dialect = database?.dialect ?? dialectOfUrl(needed.database);
  const look = async (column: IdColumn) => ({
    column: column.name,
    id: database ? await through(database, needed, column, (on) => greatestId(on, column, name)) : 0,
  });
  const found = await Promise.all(columns.map(look));
  const startAfter = Math.max(0, ...found.map(({ id }) => id));
  const column = found.find(({ id }) => id === startAfter)?.column;
  const options = { table, group, startAfter };
  const after = startAfter === 0 ? '' : `, after ${startAfter}: the greatest id in ${column}`;
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

/** Runs `act` on the database through which the column is read: the open one, or one of its own URL. */
async function through<T>(
  database: SqlExecutor,
  needed: NeededTable,
  column: IdColumn,
  act: (database: SqlExecutor) => Promise<T>,
): Promise<T> {
  if (column.database === needed.database) return act(database);
  const own = await openDatabase(column.database);
  try {
    return await act(own);
  } finally {
    await own.close();
  }
}

/** A column holds ids after which no sequence can start, or it cannot be told where. */
export class NoStart extends IdError {}

/** The greatest number in the column for the ids; 0 if it does not exist yet or is empty. */
async function greatestId(
  database: SqlExecutor,
  { name: column, encoded }: IdColumn,
  sequence: string,
): Promise<number> {
  const facts = await columnFacts(database, column).catch((error: unknown) => {
    // No such table, schema or column: the service's own migration has not run yet.
    const denied = Object(Object(error).cause).code === '42501' || isDeniedByMysql(error);
    if (isIdError(error) && !denied) return undefined;
    throw error;
  });
  if (facts === undefined) return 0;
  if (facts.maxId === undefined && encoded !== undefined) {
    const example = await exampleIn(database, column, encoded);
    if (example === undefined) return 0;
    throw new NoStart(
      'ERR_IDS_CONFIG',
      `column ${column} holds "${example}", which may be an encoded ID of sequence "${sequence}", and SQL cannot decode it to find ` +
        `the greatest: create the sequence with createSequence of @ids/segment/sql, whose startAfter must be that number`,
    );
  }
  const maxId = facts.maxId ?? (await greatestDecimal(database, column)) ?? 0n;
  if (maxId <= BigInt(Number.MAX_SAFE_INTEGER)) return maxId > 0n ? Number(maxId) : 0;
  throw new NoStart(
    'ERR_IDS_CONFIG',
    `column ${column} holds ${maxId}, and a sequence ends at ${Number.MAX_SAFE_INTEGER}: no ID would be greater`,
  );
}
