import type { IdStrategy } from '@ids/core';
import { gpid } from '@ids/gpid';
import { objectid } from '@ids/objectid';
import { objectid as objectidOfBothLayouts } from '@ids/objectid/machine-pid';
import { segmentInproc } from '@ids/segment-inproc';
import { segmentRedisDb } from '@ids/segment-redis-db';

/** The strategies of this family as most services import them, each from the main entry of its package. */
export const mainEntries: readonly IdStrategy[] = [
  objectid,
  gpid,
  segmentInproc,
  segmentRedisDb,
] as readonly IdStrategy[];

/** The same, for reading and giving ids: ObjectIds of both layouts. */
export const family: readonly IdStrategy[] = [
  objectidOfBothLayouts as IdStrategy,
  ...mainEntries.filter(({ name }) => name !== objectidOfBothLayouts.name),
];
