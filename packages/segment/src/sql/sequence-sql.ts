import { IdError } from '@ids/core';
import { assertIdBound } from '../segment-size.js';
import { groupProblem } from '../sequence-group.js';
import { assertSequenceName } from '../sequence-name.js';
import { postgresZone } from './group-sql.js';
import type { CreateSequenceOptions } from './sequences.js';
import { DEFAULT_TABLE, quotedTable } from './table-name.js';

/**
 * The row of a sequence as SQL for a migration, safe to run again: what `createSequence`
 * adds, with the same options.
 */
export function sequenceSql(
  name: string,
  { startAfter = 0, table = DEFAULT_TABLE, group }: CreateSequenceOptions = {},
): string {
  assertSequenceName(name);
  assertIdBound('startAfter', startAfter);
  const problem = group === undefined ? undefined : groupProblem(group);
  if (problem !== undefined) throw new IdError('ERR_IDS_CONFIG', `option "group": ${problem}`);
  const row = {
    server_name: literal(name),
    ...(startAfter > 0 && { max_id: String(startAfter) }),
    ...(group && { group_by: literal(group.by), time_zone: literal(postgresZone(group)) }),
  };
  const [columns, values] = [Object.keys(row), Object.values(row)].map((parts) => parts.join(', '));
  return `INSERT INTO ${quotedTable(table).table} (${columns}) VALUES (${values}) ON CONFLICT (server_name) DO NOTHING;\n`;
}

/** With the prefix that gives a backslash one meaning, whatever `standard_conforming_strings` says. */
function literal(text: string): string {
  const quoted = `'${text.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;
  return text.includes('\\') ? `E${quoted}` : quoted;
}
