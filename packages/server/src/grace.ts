/** Aborts its signal so many milliseconds after it was first started. */
export class Grace {
  readonly #ms: number;
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  start(): void {
    const late = (): void => this.#controller.abort(new DOMException('others waited', 'TimeoutError'));
    this.#timer ??= setTimeout(late, this.#ms);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
