import { type FileDialect, SQL_CLIENTS, SQL_DIALECTS, type SqlDialect } from '@ids/local-services/dialects';
import type { ClockedSlots } from './clocked-slots.js';
import { openMysqlSlots } from './mysql-slots.js';
import { openSlotDatabase } from './slot-database.js';
import { openSqliteSlots, SLOTS_IN_FILES } from './sqlite-slots.js';
import type { SlotsOptions } from './subject.js';

/** Every kind of database that has slots, for `describe.each`. */
export const SLOT_DIALECTS: readonly (SqlDialect | FileDialect)[] = [...SQL_DIALECTS, SLOTS_IN_FILES];

/** The same with each client that Postgres has. */
export const SLOT_CLIENTS: typeof SLOT_DIALECTS = [...SQL_CLIENTS, SLOTS_IN_FILES];

/** Slots named `order` in a database of a dialect, whose clock the test sets. */
export function openClockedSlots(
  kind: SqlDialect | FileDialect,
  options?: SlotsOptions,
): Promise<ClockedSlots> {
  if (kind.dialect === 'sqlite') return openSqliteSlots(options);
  return kind.dialect === 'mysql' ? openMysqlSlots(options) : openSlotDatabase(options, kind);
}
