import { IdError } from '@ids/core';
import {
  CHANGE_TEXT,
  logTableOf,
  type NewReignOptions,
  quotedTable,
  type SchemaOptions,
  type Skips,
  type SqlExecutor,
  skipsOf,
} from '@ids/store';
import { assertDurable, rowsOf, runOn, SCHEMA_LOCK, type UsableGuard } from '@ids/store/postgres';
import { MAX_STEP } from '../segment.js';
import { DEFAULT_TABLE, SEGMENT_TABLE } from '../table/wording.js';
import { withLog } from './grant-log.js';
import { GROUPED } from './groups.js';
import { findSequenceReign } from './sequence-reign.js';
import { roomOf, skipSql } from './skip-sql.js';
import { describeStatement, reservationsFor, statementsFor } from './statements.js';

/** The options of the generators that use the same table. */
export interface ReserveProcedureOptions extends SchemaOptions, NewReignOptions {}

/** Where the procedure is, and what it does there. */
interface Procedure {
  readonly table: string;
  readonly log: boolean;
  readonly skips: Skips;
  readonly guard: UsableGuard;
  readonly pace: boolean;
}

/**
 * A procedure of Postgres by which programs in other languages reserve a segment, as SQL for a migration:
 * `CALL ids_reserve('order', 100)` returns `low` and `high`, inclusive. It is in the schema of the table, and
 * runs with the rights of its caller: those that `segmentGrants` prints. It commits by itself, and so fails
 * inside a transaction, in which a rollback would have the same segment reserved again.
 */
export function reserveProcedureSql(options: ReserveProcedureOptions = {}): string {
  return install({ ...settled(options), guard: 'full', pace: true });
}

/**
 * Creates the procedure, or brings it up to date. Rejects with `ERR_IDS_CONFIG` if a routine of somebody
 * else, or for another table, has its name; if the table is missing, of an older version, or not durable; and
 * on MySQL, where a procedure would commit what its caller has not.
 */
export async function ensureReserveProcedure(
  executor: SqlExecutor,
  options: ReserveProcedureOptions = {},
): Promise<void> {
  const procedure = await found(executor, options);
  await runOn(executor, procedure.table, SEGMENT_TABLE)(install(procedure), []);
}

/** Whether `ensureReserveProcedure` would change something; rejects as it does, but for the name. */
export async function lacksReserveProcedure(
  executor: SqlExecutor,
  options: ReserveProcedureOptions = {},
): Promise<boolean> {
  const procedure = await found(executor, options);
  const text = `SELECT p.prosrc = replace($1, '${SCHEMA}', ${schemaOf(procedure)}) AS same
FROM pg_proc p WHERE p.oid = to_regprocedure(${schemaOf(procedure)} || '${SIGNATURE}')`;
  const { rows } = await runOn(executor, procedure.table, SEGMENT_TABLE)(text, [bodyOf(procedure)]);
  return rows[0]?.same !== true;
}

function settled({ table = DEFAULT_TABLE, log = false, ...reign }: ReserveProcedureOptions) {
  return { table, log, skips: skipsOf(reign) };
}

/** For a table that exists: with as much of the reign as the server discloses. */
async function found(executor: SqlExecutor, options: ReserveProcedureOptions): Promise<Procedure> {
  if (executor.dialect === 'mysql') {
    throw new IdError(
      'ERR_IDS_CONFIG',
      'there is no procedure for MySQL and MariaDB, where it could not refuse to run inside a transaction; use the statement in docs/other-languages.md',
    );
  }
  const { table, log, skips } = settled(options);
  const run = rowsOf(runOn(executor, table, SEGMENT_TABLE));
  const logTable = log ? logTableOf(table) : undefined;
  const values = ['', quotedTable(table).table, logTable === undefined ? null : quotedTable(logTable).table];
  const [row] = await run(describeStatement(table, false), values);
  const embedded = executor.embedded === true;
  assertDurable(row, { table, embedded, log: logTable, wording: SEGMENT_TABLE });
  const { guard, pace, missing } = await findSequenceReign(run, table, '');
  if (guard === 'off') throw new IdError('ERR_IDS_CONFIG', `segment table ${table}: ${missing}`);
  return { table, log, skips, guard, pace };
}

const SIGNATURE = 'ids_reserve(text, integer, bigint, bigint)';

/** Stands for the schema of the table, and a dot, until the procedure is created. */
const SCHEMA = '@schema@';

/** In SQL: the schema in which the table is now. Later, no search path can lead to another table. */
function schemaOf({ table }: Procedure): string {
  return `(SELECT quote_ident(n.nspname) || '.' FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.oid = '${quotedTable(table).table}'::regclass)`;
}

/** The table without its schema. */
function bareName({ table }: Procedure): string {
  return table.split('.').at(-1) as string;
}

/** One statement, so that nobody can take the name in between. */
function install(procedure: Procedure): string {
  const refusal = `which does not reserve from table ${procedure.table}: keep one of them in another schema`;
  return `DO $install$
DECLARE
  place text := ${schemaOf(procedure)};
BEGIN
  PERFORM pg_advisory_xact_lock(${SCHEMA_LOCK});
  IF EXISTS (SELECT FROM pg_proc WHERE oid = to_regprocedure(place || '${SIGNATURE}')
    AND position('${markOf(procedure)}' IN prosrc) = 0) THEN
    RAISE EXCEPTION USING ERRCODE = 'wrong_object_type', MESSAGE = 'there is a routine ' || place || '${SIGNATURE}, ${refusal}';
  END IF;
  EXECUTE replace($create$
CREATE OR REPLACE PROCEDURE ${SCHEMA}ids_reserve(
  name text, n integer, INOUT low bigint DEFAULT NULL, INOUT high bigint DEFAULT NULL
) LANGUAGE plpgsql AS $reserve$${bodyOf(procedure)}$reserve$
  $create$, '${SCHEMA}', place);
END
$install$;
`;
}

/** By which a later version knows a procedure of ours, and its table. */
function markOf(procedure: Procedure): string {
  return `-- Reserves from the segment table ${bareName(procedure)}.`;
}

/**
 * The statements of the generators, with their parameters replaced: what a row is expected to be, and a time
 * limit, are for callers that know it. GROUPED is right for every sequence. Run twice, it reserves two
 * segments; if its answer is lost, nobody uses the segment.
 */
function bodyOf(procedure: Procedure): string {
  const { log, skips } = procedure;
  const table = bareName(procedure);
  const { table: quoted } = quotedTable(table);
  const { reserve, raise } = reservationsFor(table, procedure, GROUPED);
  const owner = `left(coalesce(nullif(current_setting('application_name'), ''), session_user::text), 255)`;
  const run = (text: string, values: readonly string[]): string => {
    const filled = text.replace(/\$(\d+)/g, (parameter, place) => {
      const value = values[Number(place) - 1];
      if (value === undefined) throw new TypeError(`a reservation has an unknown parameter ${parameter}`);
      return value;
    });
    const reserved = log
      ? withLog(filled, logTableOf(table), owner)
      : `\nWITH reserved AS (${filled}\n)\nSELECT max_id FROM reserved`;
    return `${reserved}\n  INTO answer;`;
  };
  const none = 'NULL';
  const change = statementsFor(table, procedure).change;
  const body = `
${markOf(procedure)}
#variable_conflict use_column
DECLARE
  answer record;
  reign record;
BEGIN
  IF $1 IS NULL OR $2 IS NULL OR $2 NOT BETWEEN 1 AND ${MAX_STEP} THEN
    RAISE EXCEPTION 'ids_reserve needs the name of a sequence and a number of ids from 1 to ${MAX_STEP}, got % and %', $1, $2
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  -- Fails inside a transaction: after its rollback, the same segment would be reserved again.
  COMMIT;
  FOR attempt IN 1 .. ${ATTEMPTS} LOOP
${run(reserve, ['$1', '$2', none, none, none, none])}
    EXIT WHEN answer.max_id IS NOT NULL;
    IF NOT EXISTS (SELECT FROM ${quoted} WHERE server_name = $1) THEN
      RAISE EXCEPTION 'table ${table} has no sequence %', $1 USING ERRCODE = 'undefined_object';
    END IF;
    SELECT r.*, ${skipSql(skips, procedure.pace)} AS skip
    FROM (${change}) AS r, ${roomOf(quoted)} AS m INTO reign;
    IF reign.superseded_by IS NOT NULL THEN
      RAISE EXCEPTION 'sequence % of table ${table}: this server is a former primary; its successor, in timeline %, has reserved', $1, reign.superseded_by
        USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    -- Somebody else has moved it into this reign since, or there is no room.
    CONTINUE WHEN reign.change IS NULL;
    IF reign.skip IS NULL THEN
      RAISE EXCEPTION 'sequence % of table ${table}: %; nothing is reserved until setFloor is called', $1,
        CASE reign.change ${Object.entries(CHANGE_TEXT)
          .map(([change, text]) => `WHEN '${change}' THEN '${text}'`)
          .join(' ')} END USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
${run(raise, ['$1', '$2', none, none, none, '0', 'reign.skip', 'reign.version', 'reign.here', none])}
    EXIT WHEN answer.max_id IS NOT NULL;
  END LOOP;
  IF answer.max_id IS NULL THEN
    RAISE EXCEPTION 'sequence %: there is no room for % ids in its group', $1, $2 USING ERRCODE = 'sequence_generator_limit_exceeded';
  END IF;
  -- Only what has been committed leaves the server.
  COMMIT;
  high := answer.max_id;
  low := high - $2 + 1;
END
`;
  return [quoted, ...(log ? [quotedTable(logTableOf(table)).table] : [])].reduce(
    (text, name) => text.replaceAll(name, `${SCHEMA}${name}`),
    body,
  );
}

/** How often the row may change between the statements: somebody else makes progress then. */
const ATTEMPTS = 10;
