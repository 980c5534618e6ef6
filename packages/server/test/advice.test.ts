import { expect, it } from 'vitest';
import { findingsOf } from '../src/page/advice.js';
import { down, generatorStatus } from './support/status-fixture.js';

const stepsOf = (status: ReturnType<typeof generatorStatus>) => {
  const [finding] = findingsOf(status, new Date());
  return { level: finding?.level, steps: JSON.stringify(finding?.steps) };
};

it('stops no process that takes ids after a failover that was skipped over', () => {
  const health = { status: 'ok', lastRegression: { at: new Date().toISOString() } } as const;
  const { level, steps } = stepsOf(generatorStatus('order', { health }));
  expect(level).toBe('watch');
  expect(steps).not.toMatch(/stop all/i);
  expect(steps).toContain('ids floor order <highest ID>');
});

it('ends a refusal, which a floor alone leaves in force', () => {
  const { level, steps } = stepsOf(down('order', 'ERR_IDS_REGRESSED'));
  expect(level).toBe('bad');
  expect(steps).toMatch(/stop all/i);
  expect(steps).toContain('ids floor order <highest ID> --checked');
});
