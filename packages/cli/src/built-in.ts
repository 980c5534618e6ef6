import type { IdStrategy } from '@ids/core';
import { gpid } from '@ids/gpid';
import { http } from '@ids/http';
import { objectid } from '@ids/objectid';
import { objectid as objectidOfBothLayouts } from '@ids/objectid/machine-pid';
import { segmentInproc } from '@ids/segment-inproc';
import { segmentRedisDb } from '@ids/segment-redis-db';
import { snowflake } from '@ids/snowflake';
import { uuid7 } from '@ids/uuid7';

/** The strategies of this family as most services import them: from the main entry of each package. */
export const mainEntries: readonly IdStrategy[] = [
  objectid,
  uuid7,
  gpid,
  segmentInproc,
  segmentRedisDb,
  snowflake,
  http,
] as readonly IdStrategy[];

/** The same for `next` and `inspect`: ObjectIds of both layouts. */
export const family: readonly IdStrategy[] = [
  objectidOfBothLayouts as IdStrategy,
  ...mainEntries.filter(({ name }) => name !== objectidOfBothLayouts.name),
];
