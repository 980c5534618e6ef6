import type { Guarantees, Id, IdGenerator } from '@ids/core';

/** A strategy under test. */
export interface ConformanceSubject<Context = unknown> {
  readonly name: string;
  /**
   * The module, as a file URL, with a named export `open(context): Promise<IdGenerator>`, in JavaScript or
   * TypeScript. It is loaded here, in child processes and in worker threads. A recording passes a second
   * argument, `note(event: string)`, which counts events: see `Recording.noted`.
   */
  readonly module: URL;
  /** What the opened generators claim. Cases of other claims are skipped visibly. */
  readonly guarantees: Guarantees;
  /**
   * The order of ids: negative if `a` was issued before `b`. Needed only for strings that claim an order but
   * do not sort as strings, such as `node/9` before `node/10`.
   */
  compare?(a: Id, b: Id): number;
  /**
   * How many numbers were skipped between two ids of one sequence, `before` issued first: 0 if `id` is the
   * next one. Needed only for strings that are not decimal digits, such as 7 between `node/2` and `node/10`;
   * use what the strategy's `inspect` or `decode` reads.
   */
  skipped?(before: Id, id: Id): bigint;
  /**
   * Creates a fresh, isolated set-up with its own sequence, schema or key prefix. What it returns must
   * survive JSON. Generators opened with the same context share the backends.
   */
  fresh(): Promise<Context>;
}

/**
 * Whether a test runner transforms this very file, as in this workspace. Then it loads TypeScript as well,
 * and shares its modules with the tests. An installed kit is loaded by Node.js itself, and so is what it
 * imports.
 */
const transformed = 'env' in import.meta;

async function loadSubject(module: URL | string): Promise<unknown> {
  if (transformed || !/\.m?ts$/.test(String(module))) return import(/* @vite-ignore */ String(module));
  // Not at the top: child processes and threads get modules in JavaScript, and load no compiler.
  const { compiledModule } = await import('./members/compiled-module.js');
  return import((await compiledModule(new URL(module))).href);
}

/** Opens a generator of the subject's module; the caller closes it. */
export async function openSubject(
  module: URL | string,
  context: unknown,
  note: (event: string) => void = () => undefined,
): Promise<IdGenerator> {
  const loaded = await loadSubject(module);
  const { open } = loaded as {
    open?: (context: unknown, note: (event: string) => void) => Promise<IdGenerator>;
  };
  if (typeof open !== 'function') {
    throw new TypeError(
      `${module} must have a named export open(context), found: ${Object.keys(Object(loaded))}`,
    );
  }
  return open(context, note);
}
