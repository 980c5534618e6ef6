import { type LoadConfigOptions, type Logger, type OpenedIds, openIds } from '@ids/config';
import type { IdGenerator, IdStrategy } from '@ids/core';
import { gpid } from '@ids/gpid';
import { objectid } from '@ids/objectid';
import { segmentInproc } from '@ids/segment-inproc';
import { segmentRedisDb } from '@ids/segment-redis-db';
import { snowflake } from '@ids/snowflake';
import { uuid7 } from '@ids/uuid7';

/** A service lists only the strategies it wants in its bundle; these examples list them all. */
export const serviceStrategies: readonly IdStrategy[] = [
  objectid,
  uuid7,
  gpid,
  segmentInproc,
  segmentRedisDb,
  snowflake,
];

/**
 * Opens what `ids.config.*` names. The examples know nothing of a generator but the contract.
 */
export function openServiceIds(
  options: LoadConfigOptions & { readonly logger?: Logger },
): Promise<OpenedIds<Record<string, IdGenerator>>> {
  return openIds({ strategies: serviceStrategies, ...options });
}
