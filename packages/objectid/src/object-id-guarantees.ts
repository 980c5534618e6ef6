import type { Guarantees } from '@ids/core';
import { IDS_PER_SECOND, MAX_LEAD_SECONDS } from './limits.js';
import type { ParsedObjectIdOptions } from './object-id-options.js';

/** What ids with these options hold to; see the README for what it rests on. */
export function objectIdGuarantees({ layout, overflow }: ParsedObjectIdOptions): Guarantees {
  const classic = layout === 'machine-pid';
  return Object.freeze<Guarantees>({
    // Sixteen bits of process id and a hash of a name cannot tell all processes of a cluster apart.
    unique: classic ? 'process' : 'cluster',
    order: Object.freeze({
      process: 'increasing',
      cluster: 'k-sorted',
      // The second that an id's time is cut to, and the seconds it may lie ahead of the clock.
      skewMs: (1 + MAX_LEAD_SECONDS[overflow]) * 1_000,
    }),
    gaps: 'on-restart',
    sync: true,
    idType: 'string',
    text: Object.freeze({ pattern: /^[0-9a-f]{24}$/, maxLength: 24, sortable: true }),
    backends: Object.freeze([]),
    discloses: Object.freeze(
      classic ? (['time', 'volume', 'host', 'process'] as const) : (['time', 'volume'] as const),
    ),
    maxIdsPerSecond: IDS_PER_SECOND,
  });
}
