import type { SyncIdGenerator } from '@ids/core';
import type { BetterAuthOptions } from 'better-auth';

/** Options for `betterAuth`: users, sessions and accounts get ids of `ids`, such as those of `@ids/uuid7`. */
export function idsOf(ids: SyncIdGenerator<string>): BetterAuthOptions {
  return { advanced: { database: { generateId: () => ids.nextSync() } } };
}
