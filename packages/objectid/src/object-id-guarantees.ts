import { defineGuarantees, type Guarantees } from '@ids/core';
import { IDS_PER_SECOND, MAX_LEAD_SECONDS } from './limits.js';
import type { ParsedObjectIdOptions } from './object-id-options.js';

/**
 * What ids with these options hold to, but for `more` that a layout changes; the
 * README says what it rests on.
 */
export function objectIdGuarantees(
  { overflow, clock }: Omit<ParsedObjectIdOptions, 'layout'>,
  more?: Partial<Guarantees>,
): Guarantees {
  // The second that an id's time is cut to, and the seconds it may lie ahead of the clock.
  const skewMs = (1 + MAX_LEAD_SECONDS[overflow]) * 1_000;
  return defineGuarantees({
    unique: 'cluster',
    order: {
      process: 'increasing',
      // Nothing bounds the length of a turn, and so how far a time read at its start lies behind.
      ...(clock === 'turn' ? { cluster: 'none' } : { cluster: 'k-sorted', skewMs }),
    },
    gaps: 'on-restart',
    maxIdsLost: 0,
    sync: true,
    idType: 'string',
    text: { pattern: /^[0-9a-f]{24}$/, maxLength: 24, sortable: true, caseSensitive: false },
    backends: [],
    discloses: ['time', 'volume'],
    maxIdsPerSecond: IDS_PER_SECOND,
    ...more,
  });
}
