import type { DurabilityCheck } from './durability.js';
import { CHANGE_TEXT, type Skips } from './new-reign.js';
import type { Row } from './read-row.js';
import type { ReignChange } from './reign.js';
import type { FoundReign } from './reign-guard.js';

/**
 * What the guards of the table cannot do here: settings of the role, the database or a pooler that
 * take something from them.
 */
export function guardWarnings(
  row: Row,
  { guard, change, missing }: FoundReign,
  { table, embedded }: DurabilityCheck,
  skips: Skips,
): string[] {
  const warnings: string[] = [];
  // A database inside this process has no standbys, so its row is enough.
  if (missing !== undefined && !(embedded && guard === 'row'))
    warnings.push(`segment table ${table}: ${missing}`);
  if (change !== undefined) warnings.push(`segment table ${table}: ${pending(change, skips)}`);
  const guards = arrayOf(row.guards);
  if (!guards.includes('id_segment_guard') || !guards.includes('id_segment_guard_truncate')) {
    warnings.push(
      `segment table ${table}: the triggers that refuse a lower max_id, DELETE and TRUNCATE are missing or disabled; run ensureSchema, or ALTER TABLE ${table} ENABLE TRIGGER USER`,
    );
  } else if (row.replication_role === 'replica') {
    warnings.push(
      'session_replication_role is replica for this role or database: its statements pass the triggers of the segment table',
    );
  }
  const schemas = arrayOf(row.schemas);
  if (!table.includes('.') && schemas.length > 1) {
    warnings.push(
      `segment table ${table} is in the schemas ${schemas.join(', ')} of the search_path; another search_path gives the same ids again: name the schema in "table"`,
    );
  }
  return warnings;
}

function pending(change: ReignChange, skips: Skips): string {
  const skip = skips[change];
  const then = skip === null ? 'is refused until setFloor was called' : `skips ${skip} ids`;
  return `${CHANGE_TEXT[change]}; the next reservation ${then}`;
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
