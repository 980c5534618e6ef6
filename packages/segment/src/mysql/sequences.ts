import { IdError } from '@ids/core';
import { groupProblem, groupsDiffer, isGroupUnit } from '../groups/sequence-group.js';
import { assertIdBound, assertSequenceName } from '../segment.js';
import { noSuchSequence, type SequenceState } from '../segment-source.js';
import { readBigint, readOrigin } from '../store/columns.js';
import type { CreatedSequence, CreateSequenceOptions, FloorOptions } from '../store/dialect.js';
import type { Row } from '../store/executor.js';
import { DEFAULT_TABLE } from '../store/table-name.js';
import { isDuplicate, mysqlError } from './errors.js';
import { zoneProblem } from './groups.js';
import type { MysqlExecutor } from './pool.js';
import { createMissingStatement, createStatement, readStatement, setFloorStatement } from './statements.js';
import { mysqlTable } from './text.js';

/** A row of the segment table. */
export function readMysqlSequence({
  realm,
  reigns,
  max_id,
  group_by: by,
  time_zone: zone,
}: Row): SequenceState {
  const group = isGroupUnit(by) ? { by, timeZone: String(zone) } : undefined;
  return {
    ...readOrigin({ realm, reigns }),
    realm: String(realm),
    maxId: readBigint(max_id, 'max_id'),
    ...(group && { group }),
  };
}

/** `createSequence` on MySQL. */
export async function createMysqlSequence(
  executor: MysqlExecutor,
  name: string,
  options: CreateSequenceOptions = {},
): Promise<CreatedSequence> {
  const { table = DEFAULT_TABLE } = options;
  const created = await insert(executor, createStatement(...checked(name, options)), table);
  const found = await find(executor, name, table);
  const difference = groupsDiffer(name, found.group, options.group);
  if (difference !== undefined) throw difference;
  return { created, ...found };
}

/** Whether the row is new. */
async function insert(executor: MysqlExecutor, text: string, table: string): Promise<boolean> {
  try {
    await executor.commit(text);
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw mysqlError(error, table);
  }
}

/** `sequenceSql` for MySQL. */
export function mysqlSequenceSql(name: string, options: CreateSequenceOptions = {}): string {
  return `${createMissingStatement(...checked(name, options))};\n`;
}

/** What the statements take, or an error for bad options. */
function checked(
  name: string,
  { startAfter = 0, table = DEFAULT_TABLE, group }: CreateSequenceOptions,
): Parameters<typeof createStatement> {
  assertSequenceName(name);
  assertIdBound('startAfter', startAfter);
  const problem = group === undefined ? undefined : groupProblem(group);
  if (problem !== undefined) throw new IdError('ERR_IDS_CONFIG', `option "group": ${problem}`);
  const refused = group === undefined ? undefined : zoneProblem(group);
  if (refused !== undefined) throw refused;
  return [mysqlTable(table), name, startAfter, group];
}

/** `setFloor` on MySQL. */
export async function setMysqlFloor(
  executor: MysqlExecutor,
  name: string,
  floor: number,
  { table = DEFAULT_TABLE, checked = false }: FloorOptions = {},
): Promise<SequenceState> {
  assertSequenceName(name);
  assertIdBound('floor', floor);
  try {
    await executor.commit(setFloorStatement(mysqlTable(table), name, floor, checked));
  } catch (error) {
    throw mysqlError(error, table);
  }
  return find(executor, name, table);
}

async function find(executor: MysqlExecutor, name: string, table: string): Promise<SequenceState> {
  try {
    const [row] = (await executor.execute(readStatement(mysqlTable(table), name), [])).rows;
    if (row !== undefined && row.realm !== null) return readMysqlSequence(row);
  } catch (error) {
    throw mysqlError(error, table);
  }
  throw noSuchSequence(name, `table ${table}`);
}
