import type { Guarantees } from '@ids/core';
import { defineGuarantees } from '@ids/core/strategy';
import { textOf } from './ids/id-format.js';
import { idsPerSecond } from './ids/layout.js';
import { layoutFor, type ParsedSnowflakeOptions } from './options.js';
import { REACH_MS } from './windows/lengths.js';
import { WORKER_AHEAD_MS } from './worker/worker-time.js';

/** What ids with these options hold to. */
export function guaranteesOf(options: ParsedSnowflakeOptions): Guarantees {
  const { as, worker } = options;
  const layout = layoutFor(options);
  const fixed = worker !== undefined;
  // How far a stamp may be ahead of the clock, and the unit of time that it is cut to.
  const skewMs = (fixed ? WORKER_AHEAD_MS : REACH_MS) + layout.unitMs;
  return defineGuarantees({
    unique: fixed ? 'process' : 'cluster',
    order: { process: 'increasing', cluster: 'k-sorted', skewMs },
    gaps: 'on-restart',
    sync: true,
    idType: as,
    text: textOf(layout),
    backends: fixed ? [] : ['sql'],
    discloses: ['time', 'volume', 'process'],
    maxIdsPerSecond: idsPerSecond(layout),
  });
}
