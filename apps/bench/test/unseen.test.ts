import { describe, expect, it } from 'vitest';
import { advise } from '../src/judge/advise.js';
import { unseenOf } from '../src/judge/unseen.js';
import type { PlainGuarantees } from '../src/schema/case.js';
import { atRateOf, chosenCase } from './support/chosen-case.js';

const SERVED = { backends: ['sql'] } as const;

/** At 1,000 ids/s in each of 4 processes, for 5.5 s. */
function unseen(guarantees: Partial<PlainGuarantees>, parts: Parameters<typeof atRateOf>[1] = {}): string[] {
  const still = { order: { process: 'none', cluster: 'none' }, ...guarantees } as const;
  return unseenOf(chosenCase('a', still, { atRate: atRateOf(1_000, parts) })).map(({ what }) => what);
}

describe('what a run at a rate was too short to see', () => {
  it('is a refill that fewer than all processes had', () => {
    expect(unseen(SERVED, { refills: 0 })).toContain('refills');
    expect(unseen(SERVED, { refills: 3 })).toContain('refills');
    expect(unseen(SERVED, { refills: 4 })).not.toContain('refills');
    expect(unseen(SERVED)).toContain('refills');
  });

  it('is the end of ids that last longer than the run', () => {
    expect(unseen({ ...SERVED, maxIdsLost: 5_500 }, { refills: 4 })).not.toContain('refills');
    expect(unseen({ ...SERVED, maxIdsLost: 5_501 }, { refills: 4 })).toContain('refills');
    expect(unseen({ ...SERVED, maxIdsLost: 5_501 }, { refills: 4, ms: 10_000 })).not.toContain('refills');
  });

  it('is what the guarantees depend on: servers, the process, the clock', () => {
    expect(unseen({})).toEqual([]);
    expect(unseen({ gaps: 'on-restart' })).toEqual(['restart']);
    expect(unseen({ discloses: ['time'] })).toEqual(['step of a clock']);
    expect(unseen({ order: { process: 'none', cluster: 'k-sorted', skewMs: 9 } })).toEqual([
      'step of a clock',
    ]);
    expect(unseen(SERVED, { refills: 4 })).toEqual(['idle pause', 'restart']);
  });

  it('stands in a recommendation, and nowhere else', () => {
    const said = (rate: number) => {
      const found = chosenCase('a', SERVED, { atRate: atRateOf(1_000, { refills: 3 }) });
      return advise({ rate }, [found]).sentences.join(' ');
    };
    const [first] = unseenOf(chosenCase('a', SERVED, { atRate: atRateOf(1_000, { refills: 3 }) }));
    expect(first?.text).toContain('3 in 4');
    expect(said(1_000)).toContain(first?.text);
    expect(said(900)).not.toContain(first?.text);
  });
});
