import { type IdPart, isIdError } from '@ids/core';
import { type Grant, type SqlExecutor, whoIssued } from '@ids/segment/sql';
import type { Layout } from '@ids/snowflake';
import { type Grant as SlotGrant, whoIssued as whoWasGranted } from '@ids/snowflake/sql';
import type { SequencePlace } from './command.js';
import { openDatabase } from './generators.js';

const WITHOUT_GRANT = {
  'not-drawn': 'nobody: it is above everything reserved so far',
  'before-log': 'unknown: it was issued before the grant log began',
  'not-logged': 'unknown: a process without the option "log" reserved it, or the sequence was raised past it',
};

const WITHOUT_SLOT_GRANT =
  'unknown: its time was never granted to its slot, or granted to a process without the option "log"';

/**
 * Who reserved the segment or the time of an id, and when, according to the grant log of its table; empty
 * without a log.
 */
export async function provenanceOf(place: SequencePlace, id: string): Promise<readonly IdPart[]> {
  const database = await openDatabase(place.database);
  try {
    const { layout } = place;
    return layout === undefined
      ? await ofSequence(database, place, id)
      : await ofSlots(database, place, layout, id);
  } catch (error) {
    if (isIdError(error) && error.code === 'ERR_IDS_CONFIG') return [];
    throw error;
  } finally {
    await database.close();
  }
}

async function ofSequence(
  database: SqlExecutor,
  { name, table }: SequencePlace,
  id: string,
): Promise<readonly IdPart[]> {
  const found = await whoIssued(database, name, BigInt(id), { table });
  if (found.status !== 'granted') return [{ name: 'owner', value: WITHOUT_GRANT[found.status] }];
  return found.grants.flatMap((grant: Grant) => grantParts(grant, 'segment', `${grant.low}..${grant.high}`));
}

async function ofSlots(
  database: SqlExecutor,
  { name, table }: SequencePlace,
  layout: Layout,
  id: string,
): Promise<readonly IdPart[]> {
  const found = await whoWasGranted(database, name, id, layout, { table });
  if (found.status !== 'granted') return [{ name: 'owner', value: WITHOUT_SLOT_GRANT }];
  return found.grants.flatMap((grant: SlotGrant) => {
    const [from, until] = [grant.from, grant.until].map((time) => time.toISOString());
    return grantParts(grant, 'window', `${from}..${until}`);
  });
}

function grantParts(
  { owner, grantedAt }: Pick<Grant, 'owner' | 'grantedAt'>,
  what: 'segment' | 'window',
  range: string,
): IdPart[] {
  return [
    { name: 'owner', value: owner },
    { name: what, value: range },
    { name: 'granted', value: grantedAt.toISOString() },
  ];
}
