import { expect, it } from 'vitest';
import { lineOf, plainView } from '../src/cli/run-command.js';

const state = { phase: 'order', name: 'objectid', step: 42, steps: 180, leftMs: 125_000 };

it('the progress line says which step it is, the time left, the phase and the case, within the width', () => {
  expect(lineOf(state, 80)).toBe('  42/180  2 min 5 s left  order  objectid');
  expect(lineOf(state, 20)).toHaveLength(20);
});

it('the progress line is written for each new phase and every few seconds where there is no terminal', () => {
  const lines: string[] = [];
  let seconds = 0;
  const view = plainView(
    (line) => lines.push(line),
    () => seconds,
  );
  view(state);
  view({ ...state, name: 'gpid' });
  view({ ...state, phase: 'uniqueness' });
  seconds = 6;
  view({ ...state, phase: 'uniqueness' });
  view();
  expect(lines).toHaveLength(3);
});
