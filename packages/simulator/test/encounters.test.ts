import { expect, it } from 'vitest';
import { EncounterTable } from '../src/encounters.js';
import { runSeed } from '../src/run-seed.js';

it('has each fault of a run that was possible, with the steps under way', async () => {
  const { encounters, trace } = await runSeed(1, { keepTrace: true });
  const struck = trace.filter(({ who }) => who === 'fault').map(({ what }) => what.split(':')[0]);
  for (const [fault, met] of Object.entries(encounters)) {
    const times = struck.filter((name) => name === fault).length;
    const counts = Object.values(met);
    // No step is counted twice for one fault, and one of them, or nothing, was under way each time.
    expect(Math.max(0, ...counts), fault).toBeLessThanOrEqual(times);
    expect(
      counts.reduce((sum, count) => sum + count, 0),
      fault,
    ).toBeGreaterThanOrEqual(times);
  }
  expect(Object.values(encounters).some(({ take = 0, reserve = 0 }) => take > 0 && reserve > 0)).toBe(true);
});

it('adds up what several runs found, and shows what never met', () => {
  const table = new EncounterTable();
  table.add({ flush: { take: 2 }, demote: {} });
  table.add({ flush: { take: 1, read: 4 } });
  expect(table.lines.map((line) => line.trim().split(/\s+/))).toEqual([
    ['read', 'take'],
    ['demote', '-', '-'],
    ['flush', '4', '3'],
  ]);
});
