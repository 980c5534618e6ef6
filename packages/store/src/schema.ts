import type { StorePart } from '@ids/core';
import type { TableOptions } from './table-name.js';

export type { StoreRights as LackingRights, StoreSqlOptions as DialectOption } from '@ids/core';

/** What can be missing: the table, the guards of a table of an older version, the grant log. */
export type SchemaPart = Extract<StorePart, 'table' | 'guards' | 'log'>;

export interface SchemaOptions extends TableOptions {
  /** Whether there is a grant log, a table of the same name with the suffix `_log`; default false. */
  readonly log?: boolean | undefined;
}
