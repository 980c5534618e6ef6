import { AssertionError } from 'node:assert';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';

/** True with `IDS_FAULTS=off`: then no fault is injected, and the body of every `faultTest` must fail. */
export const faultsOff = process.env.IDS_FAULTS === 'off';

/** How many faults the current test has injected, or would have. The tests of a file run sequentially. */
let injections = 0;

/**
 * Injects a fault: runs `act`, unless faults are off. Everything that a `faultTest` does to its servers or
 * processes goes here, and so does the code that undoes it. Resolves with what `act` returns, or with
 * undefined if faults are off.
 */
export async function injectFault<T>(act: () => T | Promise<T>): Promise<T | undefined> {
  injections += 1;
  return faultsOff ? undefined : await act();
}

/** Milliseconds between two checks of `felt`. */
const LOOK_EVERY_MS = 5;

/**
 * Waits until `seen` shows that a fault was felt. `limit` resolves when the fault should have been felt, for
 * instance after a number of further ids: a limit in progress rather than time, so that a slow machine does
 * not reach it. Then rejects with an `AssertionError`.
 */
export async function felt(
  what: string,
  seen: () => boolean | Promise<boolean>,
  limit: Promise<unknown>,
): Promise<void> {
  let over = false;
  const ended = limit.then(() => {
    over = true;
  });
  ended.catch(() => undefined);
  while (!(await seen())) {
    if (over) throw new AssertionError({ message: `the fault was not felt: ${what}` });
    await Promise.race([ended, pause(LOOK_EVERY_MS)]);
    // Checks once more after the limit: the last step may have felt the fault.
  }
}

/**
 * A test of what happens under a fault. It must assert that the fault was felt (an event, an error, a changed
 * reign, a stall that callers saw), so it fails if faults are off. With `IDS_FAULTS=off` it passes if `run`
 * reaches a fault and then fails by an assertion; any other error, or the time limit, fails it. `timeoutMs`
 * is the time limit of the test runner.
 */
export function faultTest(name: string, run: () => Promise<void>, timeoutMs?: number): void {
  const options = { tags: ['fault'], ...(timeoutMs !== undefined && { timeout: timeoutMs }) };
  test(name, options, async ({ task }) => {
    assertSelectable(task.file.filepath);
    injections = 0;
    if (faultsOff) await assertFails(run);
    else await run();
    expect(injections, 'faults injected by this test: it needs injectFault').toBeGreaterThan(0);
  });
}

async function assertFails(run: () => Promise<void>): Promise<void> {
  let error: unknown;
  try {
    await run();
  } catch (reason) {
    error = reason;
  }
  if (error === undefined)
    throw new Error('passes without its faults: it does not assert that they were felt');
  if (!isAssertion(error)) {
    const message = `fails without its faults, but not by an assertion that they were felt: ${error}`;
    throw new Error(message, { cause: error });
  }
}

/**
 * `expect(undefined).toMatch()` and the like throw a TypeError, so any error that a matcher throws counts.
 */
function isAssertion(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const [thrownAt = ''] = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return error.name === 'AssertionError' || /@vitest[+/]expect/.test(thrownAt);
}

/** `pnpm test:faults-felt` finds files with fault tests by this word. */
function assertSelectable(file: string): void {
  if (readFileSync(file, 'utf8').includes('faultTest(')) return;
  throw new Error(`${file} must call faultTest( itself: fault tests are selected by that word`);
}
