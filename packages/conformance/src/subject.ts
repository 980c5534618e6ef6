import type { Guarantees, Id, IdGenerator, KeyedIdGenerator } from '@ids/core';

/** A strategy under test. */
export interface ConformanceSubject<Context = unknown> {
  readonly name: string;
  /**
   * The module, as a file URL, with a named export `open(context): Promise<IdGenerator>`, in JavaScript or
   * TypeScript. It is loaded here, in child processes and in worker threads. A recording passes a second
   * argument, `note(event: string)`, which counts events: see `Recording.noted`. With
   * `openKeyed(context): Promise<KeyedIdGenerator>` instead, the generator is the view of one key.
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

type Note = (event: string) => void;

/** The key whose sequence stands for a keyed generator in the cases of generators. */
const ONE_KEY = 'group:1';

/** Opens a generator of the subject's module; the caller closes it. */
export async function openSubject(
  module: URL | string,
  context: unknown,
  note: Note = () => undefined,
): Promise<IdGenerator> {
  const loaded = await loadSubject(module);
  const { open, openKeyed } = loaded as {
    open?: (context: unknown, note: Note) => Promise<IdGenerator>;
    openKeyed?: unknown;
  };
  if (typeof open === 'function') return open(context, note);
  if (typeof openKeyed === 'function') return viewOf(await openKeyedSubject(module, context, note));
  throw new TypeError(
    `${module} must have a named export open(context), found: ${Object.keys(Object(loaded))}`,
  );
}

/** Opens a keyed generator of the subject's module; the caller closes it. */
export async function openKeyedSubject(
  module: URL | string,
  context: unknown,
  note: Note = () => undefined,
): Promise<KeyedIdGenerator> {
  const loaded = await loadSubject(module);
  const { openKeyed } = loaded as {
    openKeyed?: (context: unknown, note: Note) => Promise<KeyedIdGenerator>;
  };
  if (typeof openKeyed === 'function') return openKeyed(context, note);
  throw new TypeError(
    `${module} must have a named export openKeyed(context), found: ${Object.keys(Object(loaded))}`,
  );
}

/** A view whose end is that of the whole generator, which nobody else uses. */
function viewOf(family: KeyedIdGenerator): IdGenerator {
  const view = family.of(ONE_KEY);
  const close = async (): Promise<void> => {
    await view.close();
    await family.close();
  };
  return {
    strategy: view.strategy,
    get guarantees() {
      return view.guarantees;
    },
    next: (options) => view.next(options),
    nextBatch: (count, options) => view.nextBatch(count, options),
    ready: (options) => view.ready(options),
    health: () => view.health(),
    ...(family.counters && { counters: family.counters.bind(family) }),
    close,
    [Symbol.asyncDispose]: close,
  };
}
