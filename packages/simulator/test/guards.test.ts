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
    'number of a fill': { from: 1, to: 30, kind: 'unique' },
    'generation of an install': { from: 20, to: 40, kind: 'unique' },
    'end of a ticket': { from: 45, to: 60, kind: 'recovery' },
    'high-water mark': { from: 180, to: 190, kind: 'real-time' },
    'name of a generation': { from: 839, to: 839, kind: 'unique' },
  };

describe('a protocol without one of its guards', () => {
  it.each(GUARDS.filter(({ name }) => FOUND[name] !== undefined))('is found broken: $name', async (guard) => {
    const { from = 0, to = 0, kind = '' } = FOUND[guard.name] ?? {};
    const { assertUsed, ...wraps } = withoutGuard(guard);
    let seed = from;
    while (seed <= to && !(await runSeed(seed, wraps)).counts[kind]) seed += 1;
    assertUsed();
    expect(seed, `seeds ${from} to ${to} do not show it`).toBeLessThanOrEqual(to);
    expect((await runSeed(seed)).problems, 'with the guard').toEqual([]);
  });

  it('is a broken harness when the guard is nowhere in the scripts', async () => {
    const nowhere: Guard = { name: 'nowhere', out: [['no such line', '']] };
    const { wrap, assertUsed } = withoutGuard(nowhere);
    expect((await runSeed(1, { wrap })).ids).toBeGreaterThan(0);
    expect(assertUsed).toThrow(/"nowhere" was not switched off: nothing that ran has "no such line"/);
  });
});
