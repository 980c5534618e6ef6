import { IdError } from '@ids/core';
import { LAST_ID } from '../segment.js';
import type { Sequence } from '../segment-source.js';
import { isGroupUnit, type SequenceGroup } from '../sequence-group.js';
import { zoneOfPostgres } from './group-sql.js';
import type { SqlResult } from './sql-executor.js';

export type Row = SqlResult['rows'][number];

/** A row of the segment table. */
export function readSequence(row: Row): Sequence {
  const group = readGroup(row);
  return { realm: String(row.realm), maxId: readBigint(row.max_id), ...(group !== undefined && { group }) };
}

/** Drivers give a BIGINT as a string, a bigint or, with a parser of the user's, a number. */
export function readBigint(value: unknown): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0 || String(number) !== String(value)) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `max_id must be a whole number from 0 to ${LAST_ID}, got ${String(value)}`,
    );
  }
  return number;
}

function readGroup({ group_by: by, time_zone: zone }: Row): SequenceGroup | undefined {
  return isGroupUnit(by) ? { by, timeZone: zoneOfPostgres(String(zone)) } : undefined;
}
