import {
  type Guarantees,
  type Id,
  IdError,
  type IdGenerator,
  type IdStrategy,
  type SyncIdGenerator,
} from '@ids/core';
import type { IdSource, StoredId } from '@ids/core/schema';
import { formatValue, memoryGenerator, ownText } from '@ids/core/strategy';
import { formOf, type TestPlace } from './forms.js';

export interface TestIdOptions {
  /** Which ids: 0, the default, to 4095. Generators with other seeds issue other ids. */
  readonly seed?: number | undefined;
  /**
   * The time in ids, in milliseconds since 1970. By default it stands still at 2025-01-01; with `Date.now` it
   * is that of fake timers. If it goes back, ids keep the time that they had reached.
   */
  readonly clock?: (() => number) | undefined;
  /** Writes ids of a form that is not known here, such as gpids. */
  readonly write?: ((place: TestPlace) => Id) | undefined;
}

/** A generator for tests. */
export type TestGenerator<T extends Id = Id> = SyncIdGenerator<T> & {
  /** The next id is the first one again. */
  reset(): void;
};

/** 2025-01-01T00:00:00Z */
const START = 1_735_689_600_000;
const MAX_SEED = 0xfff;
const systemNow = Date.now;

/**
 * Creates a generator whose ids have the form of those of `source`, a generator or a plan of
 * `createIds`, and are the same in every run: 1, 2, 3, or UUIDs that end in them. They increase. It opens
 * nothing, and `source` stays as it is.
 *
 * Throws `ERR_IDS_CONFIG` in a process with `NODE_ENV=production`, for a bad option, and for a form that is
 * neither a number, a UUID of version 7 nor an ObjectId, unless there is `write`. Ids of another form than
 * that of `source` are `ERR_IDS_EXHAUSTED`.
 */
export function createTestGenerator<const Source extends IdSource>(
  source: Source,
  options: TestIdOptions = {},
): TestGenerator<StoredId<Source>> {
  return testGenerator(source.guarantees, options) as unknown as TestGenerator<StoredId<Source>>;
}

/**
 * `strategy`, with ids for tests: for the list of strategies of a service under test, whose config stays as
 * it is. It needs no server, and each generator starts with the first id. There are no generators by key: to
 * open one is an error. Throws like `createTestGenerator`, here and when a generator is opened.
 */
export function testStrategy<S extends IdStrategy>(strategy: S, options: TestIdOptions = {}): S {
  assertUse(options);
  const { store: _store, createKeyed: _createKeyed, ...rest } = strategy;
  const create = async (parsed: unknown): Promise<IdGenerator> => {
    const guarantees = strategy.guarantees(parsed);
    const generator = testGenerator(guarantees, options, strategy.name);
    return guarantees.sync ? generator : withoutSync(generator);
  };
  return { ...rest, create } as unknown as S;
}

function testGenerator(guarantees: Guarantees, options: TestIdOptions, strategy = 'testing'): TestGenerator {
  assertUse(options);
  const { seed = 0, clock = () => START, write = formOf(guarantees) } = options;
  if (write === undefined) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `testing: ids that match ${guarantees.text.pattern.source} have no form known here: set the option "write"`,
    );
  }
  const isOwn = ownText(guarantees.text);
  // Fake timers that begin or end later replace the function.
  const now = clock === systemNow || clock === Date.now ? () => Date.now() : clock;
  let count = 0;
  let ms = 0;
  const issue = (): Id => {
    ms = Math.max(ms, now());
    const id = write({ count: count + 1, ms, seed });
    if (typeof id !== guarantees.idType || !isOwn(String(id))) {
      throw new IdError('ERR_IDS_EXHAUSTED', `testing: ${formatValue(id)} is not of the form of the ids`);
    }
    count++;
    return id;
  };
  const reset = () => {
    count = 0;
    ms = 0;
  };
  return Object.assign(memoryGenerator({ strategy, guarantees, issue }), { reset });
}

/** As of a strategy that has to wait for a server. */
function withoutSync(generator: SyncIdGenerator): IdGenerator {
  return {
    strategy: generator.strategy,
    guarantees: generator.guarantees,
    next: (options) => generator.next(options),
    nextBatch: (count, options) => generator.nextBatch(count, options),
    ready: (options) => generator.ready(options),
    health: () => generator.health(),
    close: () => generator.close(),
    [Symbol.asyncDispose]: () => generator.close(),
  };
}

function assertUse({ seed = 0 }: TestIdOptions): void {
  if (globalThis.process?.env.NODE_ENV === 'production') {
    throw new IdError(
      'ERR_IDS_CONFIG',
      'testing: ids for tests repeat in every process, so NODE_ENV must not be "production"',
    );
  }
  if (!Number.isInteger(seed) || seed < 0 || seed > MAX_SEED) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `testing: option "seed": must be a whole number from 0 to ${MAX_SEED}, got ${formatValue(seed)}`,
    );
  }
}
