/** What is mutated, and by which tests it is judged. */
export interface Target {
  readonly folder: string;
  /** Globs relative to `folder`; all of `src` by default. */
  readonly mutate?: readonly string[];
  /** Globs relative to `folder` of tests that do not judge. */
  readonly withoutTests?: readonly string[];
  /**
   * Runs each test file in a process of its own, since its tests are about the main thread; by
   * default in a worker thread.
   */
  readonly inProcesses?: boolean;
  /**
   * Starts no servers: none of the tests that judge needs one, and they would start with each test runner.
   */
  readonly withoutServices?: boolean;
  /**
   * How long a test, and a hook of it, may take: what a mutant keeps waiting fails after this time. In
   * milliseconds, default 30 s.
   */
  readonly limitMs?: number;
}

export const LIMIT_MS = 30_000;

/**
 * What can be mutated, by the name that `--package` takes. Only fast tests judge: those that start
 * servers, processes or a bundler are left out where the others suffice, and so is the conformance kit,
 * which takes longer than all others together. Lua and SQL have mutants made by hand, so the statements
 * of `segment` are left out.
 */
export const TARGETS: Readonly<Record<string, Target>> = {
  core: { folder: 'packages/core' },
  encode: { folder: 'packages/encode', withoutTests: ['test/conformance*.test.ts'] },
  gpid: {
    folder: 'packages/gpid',
    withoutTests: ['test/conformance*.test.ts', 'test/integration/!(is-alive).test.ts'],
  },
  config: { folder: 'packages/config', withoutTests: ['test/start-path.test.ts'] },
  conformance: {
    folder: 'packages/conformance',
    mutate: ['src/checker/**'],
    withoutTests: ['test/*.test.ts', 'test/!(checker)/**'],
  },
  'bench-statistics': {
    folder: 'apps/bench',
    mutate: ['src/measure/statistics.ts'],
    withoutTests: ['test/!(statistics).test.ts', 'test/integration/**'],
  },
  'bench-choose': {
    folder: 'apps/bench',
    mutate: ['src/judge/{advise,fit,load,needs,rank}.ts'],
    withoutTests: ['test/!(choose|choose-*).test.ts', 'test/integration/**'],
  },
  objectid: {
    folder: 'packages/objectid',
    inProcesses: true,
    limitMs: 10_000,
    withoutTests: [
      'test/conformance*.test.ts',
      'test/integration/**',
      'test/mutants.test.ts',
      'test/{built-entries,size,start-up-snapshot,threads-*,without-node}.test.ts',
    ],
  },
  uuid7: {
    folder: 'packages/uuid7',
    inProcesses: true,
    limitMs: 10_000,
    withoutTests: [
      'test/{built-entry,conformance*,mutants,size,start-up-snapshot,threads-*,without-node}.test.ts',
      'test/integration/**',
    ],
  },
  segment: {
    folder: 'packages/segment',
    mutate: ['src/*.ts', 'src/otel/*.ts', 'src/groups/*.ts'],
    withoutTests: ['test/integration/**', 'test/{mutants,missing-pg}.test.ts'],
    withoutServices: true,
    limitMs: 5_000,
  },
  snowflake: {
    folder: 'packages/snowflake',
    inProcesses: true,
    mutate: [
      'src/{windows/held-windows,windows/tenancy,ids/layout,ids/id-format,options,guarantees,ids/inspect}.ts',
    ],
    withoutTests: ['test/{conformance*,overflow,simulation}.test.ts', 'test/integration/**'],
    withoutServices: true,
  },
  'segment-inproc': {
    folder: 'packages/segment-inproc',
    withoutTests: [
      'test/conformance*.test.ts',
      'test/integration/!(failed-open).test.ts',
      'test/store-mutants.test.ts',
    ],
  },
};
