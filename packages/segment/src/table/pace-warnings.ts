import type { Skips } from '@ids/store';
import { SEGMENT_TABLE } from './wording.js';

/** For a table, as in messages, whose rows do not say how fast they were used. */
export function paceWarnings(about: string, skips: Skips): string[] {
  if (!Object.values(skips).some((skip) => typeof skip === 'object')) return [];
  const { create, grants } = SEGMENT_TABLE;
  return [
    `${about}: what is skipped after a restore or a failover does not grow with time, because the table lacks columns, or the role may not use them; run ${create} again, and grant what ${grants} prints`,
  ];
}
