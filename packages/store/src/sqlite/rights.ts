import { IdError } from '@ids/core';
import type { LackingRights } from '../schema.js';

/** SQLite has no roles: whoever may write the file may do everything. */
export function noSqliteGrants(): never {
  throw new IdError(
    'ERR_IDS_CONFIG',
    'SQLite has no roles and no rights: whoever may write the file and its folder may reserve',
  );
}

/** A file that cannot be written is refused by the reservation. */
export const NO_SQLITE_RIGHTS: LackingRights = { role: 'this process', needed: [], forGuard: [], grants: '' };
