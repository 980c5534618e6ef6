import { quotedTable, reignsText, type SqlExecutor, type SqlResult } from '@ids/store';
import { assertReplicated, rowsOf, runOn, TIMELINE } from '@ids/store/postgres';
import type { SequenceState } from '../segment-source.js';
import type { CreatedSequence, NewSequence, Raise } from '../table/dialect.js';
import { SEGMENT_TABLE } from '../table/wording.js';
import { postgresZone } from './groups.js';
import { missingSequence } from './missing-sequence.js';
import { PostgresSegmentSource } from './segment-source.js';
import { findSequenceReign } from './sequence-reign.js';
import { readSequence, statementsFor } from './statements.js';
import { assertSameZone } from './zone-check.js';

/** `createSequence` on Postgres. */
export async function createSequence(
  executor: SqlExecutor,
  { name, startAfter, table, group }: NewSequence,
): Promise<CreatedSequence> {
  await assertSameZone(rowsOf(runOn(executor, table, SEGMENT_TABLE)), group);
  const groupValues = group === undefined ? [null, null] : [group.by, postgresZone(group)];
  const [row] = await run(executor, table, 'create', [name, startAfter, ...groupValues]);
  if (row !== undefined) return { created: true, ...readSequence(row), ...(group && { group }) };
  return { created: false, ...(await new PostgresSegmentSource(executor, { table }).describe(name)) };
}

/** `setFloor` on Postgres. */
export async function setFloor(
  executor: SqlExecutor,
  table: string,
  name: string,
  { floor, checked, follows }: Raise,
): Promise<SequenceState> {
  const [row] = checked
    ? await run(executor, table, 'setCheckedFloor', [name, floor], [reignsText(follows)])
    : await run(executor, table, 'setFloor', [name, floor]);
  if (row === undefined) {
    throw await missingSequence(rowsOf(runOn(executor, table, SEGMENT_TABLE)), name, table);
  }
  return readSequence(row);
}

async function run(
  executor: SqlExecutor,
  table: string,
  statement: 'create' | 'setFloor' | 'setCheckedFloor',
  values: readonly [string, ...unknown[]],
  ofReign: readonly unknown[] = [],
): Promise<SqlResult['rows']> {
  const execute = runOn(executor, table, SEGMENT_TABLE);
  const [name] = values;
  const guards = await findSequenceReign(rowsOf(execute), table, name);
  const all = guards.guard === 'off' ? values : [...values, ...ofReign];
  const { rows, notices } = await execute(statementsFor(table, guards)[statement], all);
  assertReplicated(
    notices,
    name,
    `${statement === 'create' ? 'createSequence' : 'setFloor'} has to be repeated`,
  );
  return rows;
}

/**
 * `sequenceSql` for Postgres. The row stores its timeline where the server discloses it: if the server fails
 * over before the first reservation is replicated, the next one notices. It stores no transaction, because a
 * migration may run in a savepoint.
 */
export function sequenceSql({ name, startAfter, table, group }: NewSequence): string {
  const row = {
    server_name: literal(name),
    ...(startAfter > 0 && { max_id: String(startAfter) }),
    ...(group && { group_by: literal(group.by), time_zone: literal(postgresZone(group)) }),
  };
  const [columns, values] = [Object.keys(row), Object.values(row)].map((parts) => parts.join(', '));
  const body = `
DECLARE
  history text;
BEGIN
  BEGIN
    history := ${TIMELINE};
  EXCEPTION WHEN OTHERS THEN
    NULL; -- This server does not disclose it.
  END;
  INSERT INTO ${quotedTable(table).table} (${columns}, timeline, reigns)
  VALUES (${values}, history, concat('.', history, '-', left(gen_random_uuid()::text, 8)))
  ON CONFLICT (server_name) DO NOTHING;
END
`;
  const tag = quoteFor(body);
  return `DO ${tag}${body}${tag};\n`;
}

/** A dollar quote that `body` does not contain. */
function quoteFor(body: string): string {
  for (let number = 1; ; number++) {
    const tag = `$sequence${number === 1 ? '' : number}$`;
    if (!body.includes(tag)) return tag;
  }
}

/**
 * With the prefix `E` for backslashes, so that the value of `standard_conforming_strings` does not matter.
 */
function literal(text: string): string {
  const quoted = `'${text.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;
  return text.includes('\\') ? `E${quoted}` : quoted;
}
