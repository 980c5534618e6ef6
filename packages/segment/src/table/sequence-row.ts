import { type Row, readOrigin, readWholeNumber } from '@ids/store';
import { isGroupUnit, type SequenceGroup } from '../groups/sequence-group.js';
import type { SequenceState } from '../segment-source.js';

/** A row of the segment table; `group`: its groups, where the database writes zones in a way of its own. */
export function sequenceIn(row: Row, group = groupIn(row)): SequenceState {
  return {
    ...readOrigin(row),
    realm: String(row.realm),
    maxId: readWholeNumber(row.max_id, 'max_id'),
    ...(group && { group }),
  };
}

/** The groups of a row; undefined if it has none. */
export function groupIn({ group_by: by, time_zone: zone }: Row): SequenceGroup | undefined {
  return isGroupUnit(by) ? { by, timeZone: String(zone) } : undefined;
}
