import { pendingChange, type Row, type RowLoss, type Skips } from '@ids/store';
import { arrayOf, type DurabilityCheck, guardTriggers, isNeon, triggerWarnings } from '@ids/store/postgres';
import { paceWarnings } from '../table/pace-warnings.js';
import type { FoundSequenceReign } from './sequence-reign.js';

/** A branch keeps the identifier and the timeline of its server, and each row its transaction. */
const NEON_RESTORES =
  'a restore or reset of a branch of Neon is not noticed, and ids are issued again: raise each sequence with setFloor after one';

/** What the guards of the table cannot do here, because of settings of the role, the database or a pooler. */
export function guardWarnings(
  row: Row,
  { guard, pace, row: reign, missing }: FoundSequenceReign,
  check: DurabilityCheck,
  skips: Skips,
  loss: RowLoss,
): string[] {
  const { table, embedded } = check;
  const { what } = check.wording;
  const warnings: string[] = isNeon(row) ? [NEON_RESTORES] : [];
  // A database inside this process has no standbys, so its row is enough.
  if (missing !== undefined && !(embedded && guard === 'row')) warnings.push(`${what} ${table}: ${missing}`);
  if (guard !== 'off' && !pace) warnings.push(...paceWarnings(`${what} ${table}`, skips));
  const { change } = reign ?? {};
  if (change !== undefined) warnings.push(`${what} ${table}: ${pendingChange(change, skips, loss)}`);
  warnings.push(...triggerWarnings(row, check, guardTriggers('id_segment')));
  const schemas = arrayOf(row.schemas);
  if (!table.includes('.') && schemas.length > 1) {
    warnings.push(
      `${what} ${table} is in the schemas ${schemas.join(', ')} of the search_path; with another search_path the same ids would be issued again: name the schema in "table"`,
    );
  }
  return warnings;
}
