import { type IdPart, isIdError } from '@ids/core';
import { type Grant, whoIssued } from '@ids/segment/sql';
import type { SequencePlace } from './context.js';
import { openDatabase } from './sequence-place.js';

const WITHOUT_GRANT = {
  'not-drawn': 'nobody: it lies above all that was reserved',
  'before-log': 'unknown: it was given before the grant log began',
  'not-logged': 'unknown: a process without the option log drew it, or the table was raised over it',
};

/**
 * Who drew the segment of an id, and when, from the grant log of its sequence; no
 * parts where there is no log.
 */
export async function provenanceOf(place: SequencePlace, id: number): Promise<readonly IdPart[]> {
  const database = await openDatabase(place.database);
  try {
    const found = await whoIssued(
      database,
      place.name,
      id,
      place.table === undefined ? {} : { table: place.table },
    );
    if (found.status === 'granted') return found.grants.flatMap(partsOf);
    return [{ name: 'owner', value: WITHOUT_GRANT[found.status] }];
  } catch (error) {
    if (isIdError(error) && error.code === 'ERR_IDS_CONFIG') return [];
    throw error;
  } finally {
    await database.close();
  }
}

function partsOf({ low, high, owner, grantedAt }: Grant): IdPart[] {
  return [
    { name: 'owner', value: owner },
    { name: 'segment', value: `${low}..${high}` },
    { name: 'granted', value: grantedAt.toISOString() },
  ];
}
