import { defineGuarantees, type Guarantees } from '@ids/core';
import { IDS_PER_SECOND, MAX_LEAD_SECONDS } from './limits.js';
import type { ParsedObjectIdOptions } from './object-id-options.js';

/** What ids with these options hold to; the README says what it rests on. */
export function objectIdGuarantees({ layout, overflow }: ParsedObjectIdOptions): Guarantees {
  const classic = layout === 'machine-pid';
  return defineGuarantees({
    // Sixteen bits of process id and a hash of a name cannot tell all processes of a cluster apart.
    unique: classic ? 'process' : 'cluster',
    order: {
      process: 'increasing',
      cluster: 'k-sorted',
      // The second that an id's time is cut to, and the seconds it may lie ahead of the clock.
      skewMs: (1 + MAX_LEAD_SECONDS[overflow]) * 1_000,
    },
    gaps: 'on-restart',
    maxIdsLost: 0,
    sync: true,
    idType: 'string',
    text: { pattern: /^[0-9a-f]{24}$/, maxLength: 24, sortable: true },
    backends: [],
    discloses: classic ? ['time', 'volume', 'host', 'process'] : ['time', 'volume'],
    maxIdsPerSecond: IDS_PER_SECOND,
  });
}
