import { memoryGenerator, type SyncIdGenerator } from '@ids/core';
import { MAX_LEAD_SECONDS } from './limits.js';
import { objectIdGuarantees } from './object-id-guarantees.js';
import type { ObjectIdIssuer } from './object-id-issuer.js';
import { turnNow } from './turn-clock.js';

type GeneratorOptions = Parameters<typeof objectIdGuarantees>[0];

/** A generator over `issuer()`, which is asked for each id, because it may have been renewed. */
export function objectIdGenerator(
  options: GeneratorOptions,
  issuer: () => ObjectIdIssuer,
): SyncIdGenerator<string> {
  const maxLead = MAX_LEAD_SECONDS[options.overflow];
  return memoryGenerator({
    strategy: 'objectid',
    guarantees: objectIdGuarantees(options),
    // Two functions rather than one with a clock in it: engines inline a call whose target never changes.
    issue:
      options.clock === 'turn'
        ? () => issuer().issue(maxLead, turnNow())
        : () => issuer().issue(maxLead, Date.now()),
    issueBatch: (count) => issuer().issueBatch(count, maxLead, Date.now),
  });
}
