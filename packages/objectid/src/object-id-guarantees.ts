import { defineGuarantees, type Guarantees } from '@ids/core';
import type { ObjectIdLayout } from './decode-object-id.js';
import { IDS_PER_SECOND, MAX_LEAD_SECONDS } from './limits.js';
import type { ParsedObjectIdOptions } from './object-id-options.js';

type GuaranteeingOptions = Omit<ParsedObjectIdOptions, 'layout'> & { readonly layout: ObjectIdLayout };

/** What ids with these options hold to; the README says what it rests on. */
export function objectIdGuarantees({ layout, overflow, clock }: GuaranteeingOptions): Guarantees {
  const classic = layout === 'machine-pid';
  // The second that an id's time is cut to, and the seconds it may lie ahead of the clock.
  const skewMs = (1 + MAX_LEAD_SECONDS[overflow]) * 1_000;
  return defineGuarantees({
    // Sixteen bits of process id and a hash of a name cannot tell all processes of a cluster apart.
    unique: classic ? 'process' : 'cluster',
    order: {
      process: 'increasing',
      // Nothing bounds the length of a turn, and so how far a time read at its start lies behind.
      ...(clock === 'turn' ? { cluster: 'none' } : { cluster: 'k-sorted', skewMs }),
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
