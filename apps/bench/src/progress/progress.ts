/** One thing that takes time. */
export interface Step {
  /** What is going on, such as "throughput 3/7". */
  readonly phase: string;
  /** Which case, or what else. */
  readonly name: string;
  /** How long it should take, in seconds: a guess, corrected by what the steps before really took. */
  readonly seconds: number;
}

export interface ProgressState extends Step {
  /** 0 to 1. */
  readonly done: number;
  readonly secondsLeft: number;
}

/** Shows what is going on. */
export interface ProgressView {
  show(state: ProgressState): void;
  /** Takes away what only made sense while running. */
  end(): void;
}

/** Knows what has been done, what is left and how good the guesses were. */
export class Progress {
  readonly #view: ProgressView;
  readonly #now: () => number;
  #planned = 0;
  #finished = 0;
  #spent = 0;

  /** `now` gives seconds. */
  constructor(view: ProgressView, now: () => number = () => performance.now() / 1_000) {
    this.#view = view;
    this.#now = now;
  }

  /** Announces steps, so that what is left can be told from the start. */
  plan(steps: readonly Step[]): void {
    for (const { seconds } of steps) this.#planned += seconds;
  }

  /** A planned step that will not be run. */
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
    // A few steps say little about the rest, so the guesses weigh as much as ten seconds of experience.
    const pace = (this.#spent + 10) / (this.#finished + 10);
    const after = Math.max(0, this.#planned - this.#finished - seconds) * pace;
    const secondsLeft = Math.max(0, seconds * pace - elapsed) + after;
    const passed = this.#spent + elapsed;
    return { done: passed / Math.max(passed + secondsLeft, 1e-9), secondsLeft };
  }
}
