import { quotedTable, type SqlExecutor } from '@ids/store';
import { runOn, type UsableGuard, withBestGuard, withHere } from '@ids/store/postgres';
import { hasCode } from '../failure-codes.js';
import { NUMBER_TABLE, seriesTableOf } from '../table/names.js';
import type { NumberRequest } from '../table/request.js';
import type { TransactionPort } from '../transaction/port.js';
import { CHANGE_HERE, WITH_HERE } from './reign.js';
import { bytes, RELEASE, ROLLBACK_TO, SAVEPOINT, text } from './statements.js';

const CREATES = 'ON CONFLICT (series) DO NOTHING RETURNING true AS done';

/** `createSeries` on Postgres: whether it was created. Twice, or by two at once: once. */
export async function createSeries(executor: SqlExecutor, name: string, table: string): Promise<boolean> {
  return (await write(executor, name, table, CREATES)) !== undefined;
}

/** The same in a transaction of the caller, behind a savepoint, which fails outside of one. */
export async function createSeriesWithin(
  tx: TransactionPort,
  { name, table }: Pick<NumberRequest, 'name' | 'table'>,
): Promise<boolean> {
  const create = (guard: UsableGuard) => tx.run(writeStatement(text(name), table, guard, CREATES));
  await tx.run(SAVEPOINT);
  const rows = await create('full').catch(async (error: unknown) => {
    if (!hasCode(error, ...UNDISCLOSED)) throw error;
    await tx.run(ROLLBACK_TO);
    return await create('row');
  });
  await tx.run(RELEASE);
  return rows.length > 0;
}

/** What a server says that does not disclose its identity or its timeline. */
const UNDISCLOSED = ['42883', '42501', '0A000', '55000'];

/** For `describeSeries`: `known`, `keys`, `highest`, and `used_up`, how many keys are at `end` or above. */
export function seriesStatement(name: string, table: string, end: number): string {
  return `SELECT (SELECT count(*) FROM ${quotedTable(seriesTableOf(table)).table} WHERE series = ${text(name)})::text AS known,
  count(*)::text AS keys, COALESCE(max(last_number), 0)::text AS highest,
  count(*) FILTER (WHERE last_number >= ${end})::text AS used_up FROM ${quotedTable(table).table} WHERE series = ${text(name)}`;
}

/** For `findKeys`. */
export function keysStatement(name: string, table: string, key: string, prefix: string, most: number) {
  return `SELECT encode(sequence_key, 'hex') AS key FROM ${quotedTable(table).table}
WHERE series = ${text(name)} AND substring(sequence_key FOR ${Buffer.byteLength(prefix)}) = ${bytes(prefix)}
ORDER BY sequence_key <> ${bytes(key)}, sequence_key LIMIT ${most}`;
}

/** For `findSeriesChange`: `change`, a `ReignChange` or null. */
export function changeStatement(name: string, table: string): string {
  return `${WITH_HERE(table)}SELECT ${CHANGE_HERE} AS change
FROM here, ${quotedTable(seriesTableOf(table)).table} s WHERE s.series = ${text(name)}`;
}

/** Creates a series, in a migration. */
export function createStatement(name: string, table: string): string {
  return writeStatement(text(name), table, 'full', CREATES.replace(/ RETURNING .*/, ''));
}

/** `acceptSeries` on Postgres: whether there is such a series. Twice: as once. */
export async function acceptSeries(executor: SqlExecutor, name: string, table: string): Promise<boolean> {
  const series = quotedTable(seriesTableOf(table)).table;
  const taken = `ON CONFLICT (series) DO UPDATE SET system_id = excluded.system_id, timeline = excluded.timeline,
  database_id = excluded.database_id, table_id = excluded.table_id RETURNING true AS done`;
  const row = await write(
    executor,
    name,
    table,
    taken,
    `AND EXISTS (SELECT FROM ${series} WHERE series = $1)`,
  );
  return row !== undefined;
}

/** A row with the reign of this server, as far as it discloses that. */
async function write(executor: SqlExecutor, name: string, table: string, conflict: string, condition = '') {
  const series = seriesTableOf(table);
  const run = runOn(executor, series, NUMBER_TABLE);
  const { result } = await withBestGuard(
    async (...query) => (await run(...query)).rows,
    async (guard) => {
      const statement = writeStatement('$1', table, guard, conflict, condition);
      return (await run(statement, [name])).rows[0];
    },
  );
  return result;
}

function writeStatement(name: string, table: string, guard: UsableGuard, conflict: string, condition = '') {
  return `${withHere(guard)}INSERT INTO ${quotedTable(seriesTableOf(table)).table} (series, system_id, timeline, database_id, table_id)
SELECT ${name}, here_id, here_timeline, here_database, '${quotedTable(table).table}'::regclass::oid::bigint FROM here WHERE true ${condition}
${conflict}`;
}
