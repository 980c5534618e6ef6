import { describe, expect, it } from 'vitest';
import { GUARDS, type Guard, withoutGuard } from '../src/guards.js';

import { runSeed } from '../src/run-seed.js';

/**
 * How each guard is missed, and seeds that show it. A change of the scripts, the statements or their clients
 * gives seeds other histories: should none of these show it any more, `pnpm simulate --guard NAME
 * --until-failure --from 1` finds one that does.
 */
const FOUND: Readonly<Record<string, { readonly from: number; readonly to: number; readonly kind: string }>> =
  {
    'generation of a claim': { from: 1, to: 1, kind: 'unique' },
    'key of a hash': { from: 2, to: 2, kind: 'unique' },
    'expected maxId': { from: 1, to: 1, kind: 'contract' },
    fence: { from: 2, to: 2, kind: 'unique' },
    'end of a lease': { from: 38, to: 38, kind: 'recovery' },
    'floor of a reservation': { from: 41, to: 41, kind: 'contract' },
    'writer of a row': { from: 20, to: 20, kind: 'unique' },
    'timeline of a server': { from: 32, to: 32, kind: 'unique' },
    'memory of the top': { from: 78, to: 78, kind: 'unique' },
    'rise to a floor': { from: 450, to: 450, kind: 'unique' },
    'memory of the last id': { from: 72, to: 72, kind: 'unique' },
    'name of a generation': { from: 609, to: 609, kind: 'unique' },
    role: { from: 111, to: 111, kind: 'unique' },
    'cluster epoch': { from: 176, to: 176, kind: 'unique' },
    'identity of a server': { from: 305, to: 305, kind: 'unique' },
    'generation of an install': { from: 352, to: 352, kind: 'real-time' },
    'clock of a lease': { from: 278, to: 278, kind: 'recovery' },
    'number of a fill': { from: 859, to: 859, kind: 'unique' },
    'wait for the standby': { from: 95, to: 95, kind: 'unique' },
    'warning of the standby': { from: 189, to: 189, kind: 'unique' },
    'bound of a step': { from: 9, to: 9, kind: 'ids lost' },
    'room of an install': { from: 306, to: 306, kind: 'ids lost' },
    'failures in health': { from: 1, to: 8, kind: 'health' },
    'debt of a claim': { from: 272, to: 272, kind: 'ids lost' },
    'rise above the row': { from: 47, to: 47, kind: 'contract' },
    'write of a claim': { from: 821, to: 821, kind: 'real-time' },
    'recovery in health': { from: 1, to: 5, kind: 'recovery' },
    'skip of each timeline': { from: 269, to: 269, kind: 'unique' },
    'reigns in the hash': { from: 32, to: 32, kind: 'unique' },
    'names of reigns': { from: 135, to: 135, kind: 'unique' },
    'high-water mark': { from: 661, to: 661, kind: 'real-time' },
  };

describe('a protocol without one of its guards', () => {
  it.each(GUARDS)('is found broken: $name', async (guard) => {
    const { from = 1, to = 0, kind = '' } = FOUND[guard.name] ?? {};
    const { wraps, unused } = withoutGuard(guard);
    let seed = from;
    while (seed <= to && !(await runSeed(seed, { wraps })).counts[kind]) seed += 1;
    expect(unused()).toBeUndefined();
    expect(seed, `seeds ${from} to ${to} do not show it`).toBeLessThanOrEqual(to);
    expect((await runSeed(seed)).problems, 'with the guard').toEqual([]);
  });

  it('is a broken harness when the guard is nowhere in the scripts', async () => {
    const nowhere: Guard = { name: 'nowhere', out: [['no such line', '']] };
    const { wraps, unused } = withoutGuard(nowhere);
    expect((await runSeed(1, { wraps })).ids).toBeGreaterThan(0);
    expect(unused()).toMatch(/"nowhere" was not switched off: nothing that ran has "no such line"/);
  });
});
