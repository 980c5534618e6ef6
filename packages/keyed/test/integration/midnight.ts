import { offsetWithMidnightIn } from '@ids/local-services';
import type { FileDialect, SqlDialect } from '@ids/local-services/dialects';
import { parseTicket, type SequenceGroup } from '@ids/segment';
import type { SqlKeyedSource } from '../../src/sql/index.js';
import { type KeyDatabase, type KeyDatabaseOptions, openKeyDatabase, reserve } from './key-database.js';

/** Days of an offset in which one ends so many seconds from now. */
export function daysEndingIn(seconds: number): SequenceGroup {
  return { by: 'day', timeZone: offsetWithMidnightIn(seconds) };
}

/** The tables of a family whose day ends in so many seconds. */
export async function openTickets(
  kind: SqlDialect | FileDialect,
  seconds: number,
  options: KeyDatabaseOptions = {},
): Promise<KeyDatabase & { readonly group: SequenceGroup }> {
  const group = daysEndingIn(seconds);
  return { ...(await openKeyDatabase(kind, { ...options, group })), group };
}

/** Resolves as soon as the database is in another day than the first id that this reserves. */
export async function untilTomorrow(keyed: SqlKeyedSource): Promise<void> {
  const dayOf = async (): Promise<string> => parseTicket((await reserve(keyed, ['clock'], 1))[0] ?? 0).group;
  const today = await dayOf();
  while ((await dayOf()) === today);
}
