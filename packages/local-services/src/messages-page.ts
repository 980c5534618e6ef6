import { readdirSync, readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { expect } from 'vitest';

/** What a call threw: its message, and its code, or the name of an error without one. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
}

/** What is provoked, by what it is of: a name, or the options of the call. */
export type Acts = Iterable<readonly [of: unknown, act: () => unknown]>;

/**
 * The page `messages.md` beside a test file: what users of the package read. Each sentence stands there and
 * in no other test, so that a sentence that is reworded changes one file. `vitest -u` writes it anew.
 */
export class MessagesPage {
  readonly #package: URL;
  readonly #always: (said: string) => string;
  readonly #parts: string[];

  /** `test` is the URL of the test file; `always` replaces what differs from run to run. */
  constructor(test: string, { always = (said: string) => said } = {}) {
    this.#package = new URL('../', test);
    this.#always = always;
    const { name } = JSON.parse(readFileSync(new URL('package.json', this.#package), 'utf8'));
    this.#parts = [`# What ${name} says`];
  }

  section(title: string): void {
    this.#parts.push(`## ${title}`);
  }

  /** Writes what was said of something. */
  write(of: unknown, ...said: readonly string[]): void {
    const isName = typeof of === 'string' && of !== '';
    const text = isName ? of : inspect(of, { depth: null, breakLength: Number.POSITIVE_INFINITY });
    this.#parts.push(`\`${this.#always(text).replaceAll('\n', ' ')}\``);
    for (const one of said) this.#parts.push(quoted(this.#always(one)));
  }

  /**
   * Writes what each act throws. The acts begin in their order, and those that take time go on side by side.
   * Fails unless each of them throws an error with such a code.
   */
  async refusals(codes: RegExp, acts: Acts): Promise<readonly Refusal[]> {
    const all = [...acts];
    const refusals = await Promise.all(all.map(([of, act]) => refusalOf(of, act)));
    for (const [row, { code, message }] of refusals.entries()) {
      expect(code, message).toMatch(codes);
      this.write(all[row]?.[0], `${message} (${code})`);
    }
    return refusals;
  }

  /**
   * Compares the page with its file. Fails without an entry for each code of an error in `src/`, unless
   * `codes` is false: for a command, which ends with exit codes instead.
   */
  async compare({ codes = true } = {}): Promise<void> {
    const text = this.#parts.join('\n\n');
    const missing = codes ? codesIn(new URL('src/', this.#package)).filter((one) => !text.includes(one)) : [];
    expect(missing, 'codes without an entry').toEqual([]);
    await expect(`${text}\n`).toMatchFileSnapshot('messages.md');
  }
}

/** As the formatter of the repository has it. */
function quoted(said: string): string {
  return said
    .trim()
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

function codesIn(source: URL): readonly string[] {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  const texts = files.map((name) => readFileSync(new URL(name, source), 'utf8'));
  return [...new Set(texts.join().match(/ERR_IDS_\w+/g))];
}

async function refusalOf(of: unknown, act: () => unknown): Promise<Refusal> {
  try {
    await act();
  } catch (error) {
    const { name, code = name, message } = error as Error & { readonly code?: string };
    return { code, message };
  }
  throw new Error(`nothing is wrong with ${inspect(of)}`);
}
