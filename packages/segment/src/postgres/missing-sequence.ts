import { IdError } from '@ids/core';
import { hiddenRows, type Run, rowSecurityActive } from '@ids/store/postgres';
import { noSuchSequence } from '../segment-source.js';

/** The error for a row that was written on a later timeline than that of this server. */
export function writtenLater(
  name: string,
  table: string,
  { timeline, here }: { readonly timeline: string; readonly here: string },
): IdError {
  return new IdError(
    'ERR_IDS_UNAVAILABLE',
    `sequence ${JSON.stringify(name)} of table ${table}: this server is in timeline ${here}, and its row was written in timeline ${timeline} of the same system: ` +
      'it is a former primary. If it is to remain the primary, stop its successor, then set a floor here above the ids of both: ids floor --checked, or setFloor with checked: true',
  );
}

/** The error for a row that was not found: it is missing, or row-level security hides it from this role. */
export async function missingSequence(run: Run, name: string, table: string): Promise<IdError> {
  return (await hiddenByRowSecurity(run, name, table)) ?? noSuchSequence(name, `table ${table}`);
}

/** The error for a row that cannot be seen or changed, if row-level security applies to this role. */
export async function hiddenByRowSecurity(
  run: Run,
  name: string,
  table: string,
): Promise<IdError | undefined> {
  if (!(await rowSecurityActive(run, table))) return undefined;
  return new IdError(
    'ERR_IDS_CONFIG',
    `sequence ${JSON.stringify(name)} is missing in table ${table}, or ${hiddenRows(table)}`,
  );
}
