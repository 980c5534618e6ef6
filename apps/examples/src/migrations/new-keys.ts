import type { IdGenerator } from '@ids/core';
import { uuid7At } from '@ids/uuid7';
import type { OldRow } from './backfill.js';
import { uuidOfObjectId } from './objectid-uuid.js';

/** UUIDs of version 7 with the times of the rows, so that old rows sort before new ones. */
export async function datedUuids(rows: readonly OldRow[]): Promise<string[]> {
  return rows.map(({ created_at }) => uuid7At(created_at));
}

/** The UUIDs that belong to ObjectIds. */
export async function uuidsOfObjectIds(rows: readonly OldRow[]): Promise<string[]> {
  return rows.map(({ key }) => uuidOfObjectId(key));
}

/** Numbers from the sequence that new rows use too, so that none can repeat. */
export function numbersFrom(ids: IdGenerator<number>) {
  return (rows: readonly OldRow[]): Promise<number[]> => ids.nextBatch(rows.length);
}
