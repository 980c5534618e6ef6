import type { Guarantees } from '@ids/core';
import { defineGuarantees } from '@ids/core/strategy';
import { textOf } from './id-format.js';
import { idsPerSecond } from './layout.js';
import { layoutFor, type ParsedSnowflakeOptions } from './options.js';
import { REACH_MS } from './windows.js';
import { WORKER_AHEAD_MS } from './worker-time.js';

/** What ids with these options hold to. */
export function guaranteesOf(options: ParsedSnowflakeOptions): Guarantees {
  const { as, worker, clock } = options;
  const layout = layoutFor(options);
  const fixed = worker !== undefined;
  // How far a stamp may be ahead of the clock, and the unit of time that it is cut to.
  const skewMs = (fixed ? WORKER_AHEAD_MS : REACH_MS) + layout.unitMs;
  return defineGuarantees({
    unique: fixed ? 'process' : 'cluster',
    order: {
      process: 'increasing',
      // Nothing bounds the length of a turn, and so how far a time read at its start lies behind.
      ...(clock === 'turn' ? { cluster: 'none' } : { cluster: 'k-sorted', skewMs }),
    },
    gaps: 'on-restart',
    sync: true,
    idType: as,
    text: textOf(layout),
    backends: fixed ? [] : ['sql'],
    discloses: ['time', 'volume', 'process'],
    maxIdsPerSecond: idsPerSecond(layout),
  });
}
