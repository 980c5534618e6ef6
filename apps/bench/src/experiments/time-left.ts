import type { Phase, StepMs, WorkRecord } from './steps.js';

/** How much work counts, by the plan and in milliseconds: at first a guess, then the last steps. */
const RECENT_MS = 5_000;
const GUESS_MS = 1_500;

interface PlannedStep {
  readonly record: Pick<WorkRecord, 'sound'>;
}

/**
 * How long a run still takes. The plan says how long its steps take on idle cores. How much longer their work
 * takes here is guessed before the first one and corrected after each, since other programs come and go.
 */
export class TimeLeft {
  readonly #steps: (PlannedStep & StepMs)[];
  /** Of the work in the last steps, and of the guess: what was planned, and what it took. */
  #plannedMs = GUESS_MS;
  #tookMs: number;

  /** `slowness`: 1 on an idle machine, 2 where work takes twice as long. */
  constructor(
    phases: readonly (Pick<Phase, 'stepMs'> & { readonly steps: readonly PlannedStep[] })[],
    slowness: number,
  ) {
    this.#steps = phases.flatMap(({ stepMs, steps }) => steps.map(({ record }) => ({ ...stepMs, record })));
    this.#tookMs = slowness * GUESS_MS;
  }

  /** In milliseconds. The steps of a case that failed are left out. */
  get ms(): number {
    const slowness = this.#tookMs / this.#plannedMs;
    const sound = this.#steps.filter(({ record }) => record.sound);
    return sound.reduce((sum, { work, fixed }) => sum + work * slowness + fixed, 0);
  }

  /** The next step ended. One that failed says nothing of the others. */
  ended(tookMs: number): void {
    const step = this.#steps.shift();
    if (!step?.record.sound) return;
    const kept = Math.min(1, RECENT_MS / this.#plannedMs);
    this.#plannedMs = kept * this.#plannedMs + step.work;
    this.#tookMs = kept * this.#tookMs + Math.max(0, tookMs - step.fixed);
  }
}
