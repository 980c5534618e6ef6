/** A part of a run that takes time. */
export interface Step {
  /** Such as "closed loops 3/5". */
  readonly phase: string;
  /** The case, or what else is handled. */
  readonly name: string;
  /** The expected duration in seconds: a guess, corrected by how long earlier steps took. */
  readonly seconds: number;
}

export interface ProgressState extends Step {
  /** 0 to 1. */
  readonly done: number;
  readonly secondsLeft: number;
}

/** Shows the progress. */
export interface ProgressView {
  show(state: ProgressState): void;
  /** Removes what is of no use after the run. */
  end(): void;
}

/** Estimates how much of a run is done, and how long the rest takes. */
export class Progress {
  readonly #view: ProgressView;
  readonly #now: () => number;
  #planned = 0;
  #finished = 0;
  #spent = 0;

  /** `now` returns seconds. */
  constructor(view: ProgressView, now: () => number = () => performance.now() / 1_000) {
    this.#view = view;
    this.#now = now;
  }

  /** Announces steps, so that the remaining time is known from the start. */
  plan(steps: readonly Step[]): void {
    for (const { seconds } of steps) this.#planned += seconds;
  }

  /** Removes a planned step that will not run. */
  drop({ seconds }: Step): void {
    this.#planned -= seconds;
  }

  async run<T>(step: Step, work: () => Promise<T>): Promise<T> {
    const start = this.#now();
    const show = () => this.#view.show({ ...step, ...this.#left(step, this.#now() - start) });
    show();
    const timer = setInterval(show, 250);
    try {
      return await work();
    } finally {
      clearInterval(timer);
      this.#finished += step.seconds;
      this.#spent += this.#now() - start;
    }
  }

  end(): void {
    this.#view.end();
  }

  #left({ seconds }: Step, elapsed: number): Pick<ProgressState, 'done' | 'secondsLeft'> {
    // A few steps say little about the rest, so the guesses weigh as much as ten measured seconds.
    const pace = (this.#spent + 10) / (this.#finished + 10);
    const after = Math.max(0, this.#planned - this.#finished - seconds) * pace;
    const secondsLeft = Math.max(0, seconds * pace - elapsed) + after;
    const passed = this.#spent + elapsed;
    return { done: passed / Math.max(passed + secondsLeft, 1e-9), secondsLeft };
  }
}
