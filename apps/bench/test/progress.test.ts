import { describe, expect, it } from 'vitest';
import { lineOf, plainView } from '../src/cli/progress-view.js';
import { Progress, type ProgressState } from '../src/experiments/progress.js';

const step = { phase: 'order', name: 'objectid', seconds: 10 };

describe('Progress', () => {
  function recorded() {
    const states: ProgressState[] = [];
    let seconds = 0;
    const progress = new Progress({ show: (state) => states.push(state), end: () => {} }, () => seconds);
    const spend = (amount: number) => async () => {
      seconds += amount;
    };
    return { progress, states, spend };
  }

  it('learns from what steps really take how long the rest will', async () => {
    const { progress, states, spend } = recorded();
    progress.plan([step, step, step]);
    await progress.run(step, spend(30));
    await progress.run(step, spend(30));
    expect(states.map(({ secondsLeft }) => Math.round(secondsLeft))).toEqual([30, 40]);
    expect(states.map(({ done }) => done)).toEqual([0, 30 / 70]);
  });

  it('does not wait for steps that were dropped', async () => {
    const { progress, states, spend } = recorded();
    progress.plan([step, step, step]);
    progress.drop(step);
    await progress.run(step, spend(1));
    expect(states[0]?.secondsLeft).toBe(20);
  });

  it('passes on what the work gives, and its failure', async () => {
    const { progress } = recorded();
    expect(await progress.run(step, async () => 7)).toBe(7);
    await expect(progress.run(step, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });
});

describe('the progress line', () => {
  const state = { ...step, done: 0.424, secondsLeft: 58.2 };

  it('says phase, case and what is left, within the width', () => {
    expect(lineOf(state, 80)).toBe(' 42 %  order  objectid  about 58 s left');
    expect(lineOf({ ...state, secondsLeft: 200 }, 80)).toContain('about 3 min 20 s left');
    expect(lineOf(state, 20)).toHaveLength(20);
  });

  it('is written for each new phase and every few seconds where there is no terminal', () => {
    const lines: string[] = [];
    let seconds = 0;
    const view = plainView(
      (line) => lines.push(line),
      () => seconds,
    );
    view.show(state);
    view.show({ ...state, name: 'gpid' });
    view.show({ ...state, phase: 'uniqueness' });
    seconds = 6;
    view.show({ ...state, phase: 'uniqueness' });
    expect(lines).toHaveLength(3);
  });
});
