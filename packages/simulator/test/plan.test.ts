import { expect, it } from 'vitest';
import { planOf } from '../src/world/draw-plan.js';
import { MOST_GENERATORS, sequencesOf } from '../src/world/plan.js';

const numbers = (processes: number) => Array.from({ length: processes }, (_, i) => i + 1);

it('lets each process of a large fleet serve some of the sequences, and each sequence have several processes', () => {
  const plan = planOf(1, { processes: 1_000, sequences: 100 });
  const served = numbers(1_000).flatMap((number) => sequencesOf(plan, number));
  expect(served.length).toBe(MOST_GENERATORS);
  for (const name of plan.sequences) expect(served.filter((one) => one === name).length).toBe(20);
});

it('lets each process of a small one serve all', () => {
  const plan = planOf(1, { processes: 20, sequences: 100 });
  for (const number of numbers(20)) expect(sequencesOf(plan, number)).toEqual(plan.sequences);
});
