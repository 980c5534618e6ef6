import { describe, expect, it } from 'vitest';
import { NOWHERE } from '../src/cases/case.js';
import { memoryControl, memoryControls } from '../src/cases/controls.js';
import { cases } from '../src/cases/strategies.js';
import { WorkRecord } from '../src/experiments/steps.js';
import { validate } from '../src/measure/validate.js';

describe.each(memoryControls.map((control) => [control.name, control] as const))('%s', (_, control) => {
  it('issues ids of its format', async () => {
    const { nextSync, close } = await control.open(NOWHERE);
    validate(
      Array.from({ length: 1_000 }, () => nextSync?.() ?? ''),
      1_000,
      control.format,
    );
    await close();
  });
});

describe('crypto.randomUUIDv7', () => {
  const control = memoryControl('crypto.randomUUIDv7');
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const present = (major === 24 && minor >= 16) || (major === 26 && minor >= 1) || major > 26;

  it('is measured from Node.js 24.16 and 26.1 on, and skipped elsewhere with the reason', () => {
    const { status, reason } = new WorkRecord(control);
    expect(cases.includes(control)).toBe(present);
    expect([status, reason]).toEqual(
      present ? ['ok', undefined] : ['skipped', 'needs Node.js 24.16 or 26.1'],
    );
  });

  it.runIf(present)('has no order within a process, as docs/choosing.md says', async () => {
    const { nextSync, close } = await control.open(NOWHERE);
    const ids = Array.from({ length: 1_000 }, () => String(nextSync?.()));
    expect(ids).not.toEqual([...ids].sort());
    await close();
  });
});
