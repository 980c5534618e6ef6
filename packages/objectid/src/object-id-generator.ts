import { type Guarantees, memoryGenerator, type SyncIdGenerator } from '@ids/core';
import { exactNow } from './exact-clock.js';
import { MAX_LEAD_SECONDS } from './limits.js';
import type { ObjectIdIssuer } from './object-id-issuer.js';
import type { ParsedObjectIdOptions } from './object-id-options.js';
import { turnNow } from './turn-clock.js';

/** A generator over `issuer()`, which is asked for each id, because it may have been renewed. */
export function objectIdGenerator(
  { overflow, clock }: Omit<ParsedObjectIdOptions, 'layout'>,
  guarantees: Guarantees,
  issuer: () => ObjectIdIssuer,
): SyncIdGenerator<string> {
  const maxLead = MAX_LEAD_SECONDS[overflow];
  return memoryGenerator({
    strategy: 'objectid',
    guarantees,
    // Two functions rather than one with a clock in it: engines inline a call whose target never changes.
    issue:
      clock === 'turn' ? () => issuer().issue(maxLead, turnNow()) : () => issuer().issue(maxLead, exactNow()),
    issueBatch: (count) => issuer().issueBatch(count, maxLead, Date.now),
  });
}
