import type { IdGenerator } from '@ids/core';
import { v7 } from 'uuid';
import type { OldRow } from './backfill.js';
import { uuidOfObjectId } from './objectid-uuid.js';

/** UUIDs of version 7 with the times of the rows, so that old rows sort before new ones. */
export async function datedUuids(rows: readonly OldRow[]): Promise<string[]> {
  return rows.map(({ created_at }) => v7({ msecs: created_at.getTime() }));
}

/** The UUIDs that belong to ObjectIds. */
export async function uuidsOfObjectIds(rows: readonly OldRow[]): Promise<string[]> {
  return rows.map(({ key }) => uuidOfObjectId(key));
}

/** Numbers from the sequence that new rows use too, so that none can repeat. */
export function numbersFrom(ids: IdGenerator<number>) {
  return (rows: readonly OldRow[]): Promise<number[]> => ids.nextBatch(rows.length);
}
