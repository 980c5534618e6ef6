/** A line of the product, and the tests that must fail without it. Paths are relative to the workspace. */
export interface RemovedLine {
  /** A file of `src`, in TypeScript or Lua. */
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly from: string;
  /** What stands there instead. */
  readonly to: string;
  /** By the file of the tests. */
  readonly tests: Readonly<Record<string, readonly (string | FailingTest)[]>>;
}

/** A string is the `name` alone. */
export interface FailingTest {
  /** Stands in the file of the test, and in the names of the tests that must all fail. */
  readonly name: string;
  /** Only tests whose full name, with those of `describe`, contains this too: `on Postgres`. */
  readonly on?: string;
  /** Stands in the message of the failure, where that is the error of a call and not an assertion. */
  readonly fails?: string;
}

export function asTest(test: string | FailingTest): FailingTest {
  return typeof test === 'string' ? { name: test } : test;
}
