/**
 * Pairs the model's small numbers with names of the scripts. The model gives a number again once nobody
 * remembers what it stood for; a name is never given again.
 */
export class Names {
  readonly #what: string;
  readonly #real = new Map<number, string>();
  readonly #given = new Set<string>();

  constructor(what: string) {
    this.#what = what;
  }

  /** From now on `model` stands for `real`. Returns what is wrong with that: a name that was given before. */
  begin(model: number, real: string): string | undefined {
    const problem = this.#given.has(real) ? `${this.#what} ${real} was given before` : undefined;
    this.#given.add(real);
    this.#real.set(model, real);
    return problem;
  }

  /** The name that `model` stands for; one that nothing has, as long as none was begun. */
  of(model: number): string {
    return this.#real.get(model) ?? `${this.#what} ${model} that never was`;
  }
}
