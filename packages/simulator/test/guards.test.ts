import { describe, expect, it } from 'vitest';
import { GUARDS, type Guard, withoutGuard } from '../src/guards.js';
import { runSeed } from '../src/run-seed.js';

/**
 * How each guard is missed, and seeds that show it. A change of the scripts or of their client gives seeds other histories: should
 * none of these show it any more, `pnpm simulate --guard NAME --until-failure --from 1` finds one that does.
 */
const FOUND: Readonly<Record<string, { readonly from: number; readonly to: number; readonly kind: string }>> =
  {
    'generation of a claim': { from: 1, to: 10, kind: 'unique' },
    fence: { from: 1, to: 20, kind: 'unique' },
    'end of a ticket': { from: 50, to: 60, kind: 'recovery' },
    role: { from: 111, to: 111, kind: 'unique' },
    'memory of the last id': { from: 72, to: 72, kind: 'unique' },
    'memory of the top': { from: 281, to: 281, kind: 'unique' },
    'clock of a ticket': { from: 278, to: 280, kind: 'recovery' },
    'generation of an install': { from: 87, to: 87, kind: 'real-time' },
    'name of a generation': { from: 171, to: 171, kind: 'unique' },
    'cluster epoch': { from: 868, to: 868, kind: 'unique' },
  };

describe('a protocol without one of its guards', () => {
  it.each(GUARDS.filter(({ name }) => FOUND[name] !== undefined))('is found broken: $name', async (guard) => {
    const { from = 0, to = 0, kind = '' } = FOUND[guard.name] ?? {};
    const { wrap, assertUsed } = withoutGuard(guard);
    let seed = from;
    while (seed <= to && !(await runSeed(seed, { wrap })).counts[kind]) seed += 1;
    assertUsed();
    expect(seed, `seeds ${from} to ${to} do not show it`).toBeLessThanOrEqual(to);
    expect((await runSeed(seed)).problems, 'with the guard').toEqual([]);
  });

  it('is a broken harness when the guard is nowhere in the scripts', async () => {
    const nowhere: Guard = { name: 'nowhere', out: [['no such line', '']] };
    const { wrap, assertUsed } = withoutGuard(nowhere);
    expect((await runSeed(1, { wrap })).ids).toBeGreaterThan(0);
    expect(assertUsed).toThrow(/"nowhere" was not switched off: no script that ran has "no such line"/);
  });
});
