import { type IdPart, type IdStrategy, isIdError } from '@ids/core';
import { gpid } from '@ids/gpid';
import { objectid } from '@ids/objectid';
import { objectid as objectidOfBothLayouts } from '@ids/objectid/machine-pid';
import { type Grant, whoIssued } from '@ids/segment/sql';
import { segmentInproc } from '@ids/segment-inproc';
import { segmentRedisDb } from '@ids/segment-redis-db';
import { snowflake } from '@ids/snowflake';
import { uuid7 } from '@ids/uuid7';
import type { SequencePlace } from './command.js';
import { openDatabase } from './generators.js';

/** The strategies of this family as most services import them: from the main entry of each package. */
export const mainEntries: readonly IdStrategy[] = [
  objectid,
  uuid7,
  gpid,
  segmentInproc,
  segmentRedisDb,
  snowflake,
] as readonly IdStrategy[];

/** The same for `next` and `inspect`: ObjectIds of both layouts. */
export const family: readonly IdStrategy[] = [
  objectidOfBothLayouts as IdStrategy,
  ...mainEntries.filter(({ name }) => name !== objectidOfBothLayouts.name),
];

const WITHOUT_GRANT = {
  'not-drawn': 'nobody: it is above everything reserved so far',
  'before-log': 'unknown: it was issued before the grant log began',
  'not-logged': 'unknown: a process without the option "log" reserved it, or the sequence was raised past it',
};

/**
 * Who reserved the segment of an id, and when, according to the grant log of its sequence; empty without a
 * log.
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
