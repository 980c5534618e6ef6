import { quotedTable, type SqlExecutor } from '@ids/store';
import { SEQUENCES } from '../columns/postgres-sequences.js';
import { later, type Migration, refused } from './migration.js';
import { reservedOf } from './sequence.js';

/** The sequence that numbers a column, or that did. */
interface OldSequence {
  /** Quoted, with its schema. */
  readonly name: string;
  /** Its MAXVALUE, if it ends before its type does. */
  readonly bound: bigint | undefined;
  /** The last number that it gave. */
  readonly last: bigint;
}

export interface PostgresState {
  readonly sequence: OldSequence | undefined;
  /** Whether the column still takes its numbers from it. */
  readonly numbered: boolean;
  /** Whether the column takes no ID in an INSERT. */
  readonly always: boolean;
  readonly maxId: bigint;
  /** How far the sequence of the generator is reserved. */
  readonly reserved: bigint | undefined;
  /** Where the way back has ended the sequence of the generator. */
  readonly end: bigint | undefined;
}

const COLUMN = `SELECT a.attidentity::text AS identity, pg_get_expr(d.adbin, d.adrelid) AS given
FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.attgenerated = ''
WHERE a.attrelid = $1::regclass AND a.attname = $2`;

const SEQUENCE = `WITH ${SEQUENCES.replaceAll('$1::oid', '$1::regclass')}
SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) AS name, q.seqmax::text AS max, q.seqcycle AS cycles,
  q.seqincrement > 0 AS rises, q.seqmax < CASE q.seqtypid WHEN 'integer'::regtype THEN 2147483647
    WHEN 'smallint'::regtype THEN 32767 ELSE 9223372036854775807 END AS bounded,
  EXISTS (SELECT 1 FROM pg_depend u JOIN pg_attrdef f ON f.oid = u.objid JOIN pg_attribute a ON a.attrelid = f.adrelid AND a.attnum = f.adnum
    WHERE u.classid = 'pg_attrdef'::regclass AND u.refobjid = s.oid AND (a.attrelid, a.attname) <> ($1::regclass, $2)) AS shared
FROM sequences s JOIN pg_class c ON c.oid = s.oid AND c.relkind = 'S' JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_sequence q ON q.seqrelid = c.oid`;

/** The constraint that ends a sequence of a generator, as docs/migrating.md calls it. */
export function constraintOf({ entry }: Migration): string {
  return `"${entry.name.replaceAll('"', '""')}_ends"`;
}

/** Reads where a migration is. Rejects if the column is not numbered in the way that is asked for. */
export async function postgresState(migration: Migration): Promise<PostgresState> {
  const { database, column, from } = migration;
  const name = column.sql.column.slice(1, -1).replaceAll('""', '"');
  const [row] = (await database.execute(COLUMN, [column.sql.table, name])).rows;
  const isIdentity = row?.identity !== '';
  const isSerial = /\bnextval\(/.test(String(row?.given));
  const sequence = await sequenceOf(migration, name);
  // Before the sequence: a new process may reserve more, and insert, in between.
  const maxId = later(column.maxId ?? 0n, 0n);
  const reserved = await reservedOf(migration);
  const numbered = isIdentity || isSerial;
  const actual = isIdentity ? 'identity' : 'bigserial';
  if (numbered ? actual !== from : row?.given != null || !isTakenOver(from, sequence, reserved, maxId)) {
    const accepted = numbered ? `it must be ${actual}` : 'Postgres gives this column no numbers';
    throw refused('--from', `${accepted}, for column ${column.found}, got "${from}"`);
  }
  return {
    sequence,
    numbered,
    always: row?.identity === 'a',
    maxId,
    reserved,
    end: await endOf(migration, database),
  };
}

/** Whether a column that the database does not number is one that a migration has finished. */
function isTakenOver(
  from: string,
  old: OldSequence | undefined,
  reserved: bigint | undefined,
  max: bigint,
): boolean {
  // The sequence of an identity goes with it.
  return reserved !== undefined && reserved >= max && max > 0n && (from === 'identity' || old !== undefined);
}

async function sequenceOf({ database, column }: Migration, name: string): Promise<OldSequence | undefined> {
  const { rows } = await database.execute(SEQUENCE, [column.sql.table, name]);
  const [row, ...others] = rows;
  if (row === undefined) return undefined;
  if (others.length > 0 || row.cycles === true || row.rises !== true || row.shared === true) {
    const why = `${column.found} must be numbered by one sequence, which rises, does not cycle and numbers no other column`;
    throw refused('--column', `${why}, got ${rows.map((one) => one.name).join(' and ')}`);
  }
  const values = await database.execute(
    `SELECT (last_value - CASE WHEN is_called THEN 0 ELSE 1 END)::text AS last FROM ${row.name}`,
    [],
  );
  return {
    name: String(row.name),
    bound: row.bounded === true ? BigInt(String(row.max)) : undefined,
    last: BigInt(String(values.rows[0]?.last)),
  };
}

async function endOf(migration: Migration, database: SqlExecutor): Promise<bigint | undefined> {
  const text = `SELECT pg_get_constraintdef(oid) AS text FROM pg_constraint
WHERE conrelid = to_regclass($1) AND conname = $2::text::name`;
  const { table } = quotedTable(migration.needed.table);
  const { rows } = await database.execute(text, [table, `${migration.entry.name}_ends`]);
  const [, end] = /max_id <= '?(\d+)/.exec(String(rows[0]?.text)) ?? [];
  return end === undefined ? undefined : BigInt(end);
}
