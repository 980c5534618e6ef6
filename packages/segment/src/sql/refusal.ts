import { IdError, isIdError } from '@ids/core';
import { GROUP_CAPACITY, type SequenceGroup } from '../groups/sequence-group.js';
import type { Segment } from '../segment.js';
import { jumpTooFar, noSuchSequence, type SequenceState } from '../segment-source.js';
import { isUnsupported, type Row, type Run } from './executor.js';
import { readBigint } from './statements.js';
import { quotedTable } from './table-name.js';

/** A reservation that matched no row. */
export interface RefusedReservation {
  readonly name: string;
  readonly size: number;
  readonly floor: number | undefined;
  readonly maxJump: number;
}

/** Why a reservation matched no row, according to a row that was read after it. */
export function refusedReservation(refused: RefusedReservation, row: Row, sequence: SequenceState): IdError {
  const { name, size, floor = 0, maxJump } = refused;
  const { maxId, group } = sequence;
  if (group === undefined)
    return floor > maxId + maxJump ? jumpTooFar(name, maxId, floor, maxJump) : tooLate(name);
  const standsAt = readBigint(row.stands_at, 'stands_at');
  const start = Math.max(standsAt, floor);
  if (start >= readBigint(row.group_limit, 'group_limit')) return aheadOfClock(name, start, group);
  if (floor > standsAt + maxJump) return jumpTooFar(name, standsAt, floor, maxJump);
  const capacity = GROUP_CAPACITY[group.by];
  const left = capacity - 1 - (start % capacity);
  if (left >= size) return tooLate(name);
  return new IdError(
    'ERR_IDS_EXHAUSTED',
    `sequence ${JSON.stringify(name)}: ${left} of ${capacity - 1} ids are left in the ${group.by} ${Math.floor(start / capacity)}, ${size} were requested`,
  );
}

/**
 * Nothing prevents it now: the caller's time was over when the row could be locked, or the row has changed
 * since.
 */
function tooLate(name: string): IdError {
  return new IdError(
    'ERR_IDS_TIMEOUT',
    `sequence ${JSON.stringify(name)}: its row was locked for too long, or was changed at this moment, and nothing was reserved`,
  );
}

function aheadOfClock(name: string, start: number, { by, timeZone }: SequenceGroup): IdError {
  const group = Math.floor(start / GROUP_CAPACITY[by]);
  return new IdError(
    'ERR_IDS_CLOCK',
    `sequence ${JSON.stringify(name)} is in the ${by} ${group}, which has not begun by the database's clock in ${timeZone}: that clock is or was wrong`,
  );
}

/**
 * Throws unless a reservation is above where its row stood. The server has already changed the row, so this
 * is about a trigger or a rule of somebody else that puts `max_id` back.
 */
export function assertAbove(name: string, { low, high }: Segment, was: number, table: string): void {
  if (low > was) return;
  throw new IdError(
    'ERR_IDS_CONFIG',
    `sequence ${JSON.stringify(name)} of table ${table}: ${low}..${high} was returned, but it was at ${was} before: a trigger or a rule of the table changes max_id`,
  );
}

/** The row is of a timeline that has followed the one of this server. */
export function writtenLater(
  name: string,
  table: string,
  { timeline, here }: { readonly timeline: string; readonly here: string },
): IdError {
  return new IdError(
    'ERR_IDS_UNAVAILABLE',
    `sequence ${JSON.stringify(name)} of table ${table}: this server is in timeline ${here}, and its row was written in timeline ${timeline} of the same system: ` +
      'it is a former primary. If it is to remain the primary, set a floor there with setFloor and checked: true',
  );
}

/** A regression lost nobody knows how many ids, and `afterRestore` refuses to skip some. */
export function regressionRefused(name: string, table: string, maxId: number, floor: number): IdError {
  return new IdError(
    'ERR_IDS_REGRESSED',
    `sequence ${JSON.stringify(name)} of table ${table} is at ${maxId}, but ids up to ${floor} were reserved before, and ids above it may have been issued; ` +
      'find the highest id that was issued, then use setFloor',
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
    `sequence ${JSON.stringify(name)} is missing in table ${table}, or row-level security hides it from this role: create a policy ` +
      `for SELECT and UPDATE that lets the role in, or ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`,
  );
}

async function rowSecurityActive(run: Run, table: string): Promise<boolean> {
  try {
    const text =
      'SELECT row_security_active(c.oid) AS active FROM pg_class c WHERE c.oid = to_regclass($1::text)';
    const [row] = await run(text, [quotedTable(table).table]);
    return row?.active === true;
  } catch (error) {
    if (isIdError(error) && isUnsupported(error.cause)) return false;
    throw error;
  }
}
