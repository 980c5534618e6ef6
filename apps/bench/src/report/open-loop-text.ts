import type { CaseResult } from '../result.js';
import { nanoseconds, quantity } from './format.js';
import { table } from './plain-text.js';

/** The load at which the terminal quotes latency; the page shows the others too. */
const QUOTED_SHARE = 0.8;

/** What callers feel who do not wait for each other; nothing where no case has a backend. */
export function openLoopText(cases: readonly CaseResult[], bold: (text: string) => string): string[] {
  const rows = cases.flatMap(({ name, openLoops = [] }) => {
    const quoted = openLoops.find(({ share }) => share === QUOTED_SHARE);
    if (quoted === undefined) return [];
    const [p50, , , p99, p999] = quoted.latency.map(latencyText);
    const overloaded = quoted.overloaded ? 'overloaded' : '';
    return [[name, quantity(quoted.rate), p50 ?? '', p99 ?? '', p999 ?? '', overloaded]];
  });
  if (rows.length === 0) return [];
  const head = ['at 80 % of capacity', 'calls/s', 'p50', 'p99', 'p99.9', ''].map(bold);
  return [
    `${table(head, [24, 12, 11, 11, 11, 11], rows)}\n\nOpen loop: latency from the intended start of each call.`,
  ];
}

/** `-` where the calls were too few to say. */
export function latencyText(latency: number | null): string {
  return latency === null ? '-' : nanoseconds(latency);
}
