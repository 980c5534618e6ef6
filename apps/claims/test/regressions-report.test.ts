import { describe, expect, it } from 'vitest';
import type { SpeedChange, SpeedReport } from '../src/regressions/compare.js';
import { renderReport } from '../src/regressions/report.js';

const slower: SpeedChange = {
  strategy: 'objectid',
  figure: 'in bursts',
  ratio: { control: 'base', median: 0.5, low: 0.45, high: 0.6, verdict: 'slower' },
};
const faster: SpeedChange = {
  strategy: 'gpid',
  figure: 'in bursts',
  ratio: { control: 'base', median: 2, low: 1.9, high: 2.1, verdict: 'faster' },
};
const report: SpeedReport = {
  changes: [slower, faster],
  regressions: [slower],
  leftOut: ['uuid7 is only in the change'],
  problems: [],
  incomplete: false,
};
const rendered = (changed: Partial<SpeedReport> = {}) =>
  renderReport({ ...report, ...changed }, 'abcdef0123456');

describe('the report of a comparison', () => {
  it('names what is slower in both rounds, and shows every figure', () => {
    const text = rendered();
    expect(text).toContain('## Speed beside abcdef0\n\n**Slower in both rounds:** objectid, in bursts.');
    expect(text).toMatch(/\| objectid +\| in bursts +\| +0\.50x, slower +\| +0\.45 to 0\.60 +\|/);
    expect(text).toMatch(/\| gpid +\| in bursts +\| +2\.00x, faster/);
    expect(text).toContain('- uuid7 is only in the change');
  });

  it('has no verdict about what only one round showed', () => {
    expect(rendered({ regressions: [] })).toContain(
      'Nothing is slower in both rounds. Faster in the first: 1 of 2 figures.',
    );
  });

  it('has none on a busy machine, nor of a run that was stopped', () => {
    const busy = rendered({ notComparable: 'other programs used 1.4 cores' });
    expect(busy).toContain('No verdict: other programs used 1.4 cores.');
    expect(busy).not.toContain('both rounds');
    expect(rendered({ incomplete: true })).toContain('Stopped: no verdict.');
  });
});
