import type { Arguments } from './arguments.js';
import { guardNamed, withoutGuard } from './guards.js';
import type { RunOptions } from './run-seed.js';

export interface PreparedRun {
  readonly run: RunOptions;
  /**
   * What of the guard that should be off was not found in anything that ran; undefined when it
   * was off, or none should be.
   */
  unusedGuard(): string | undefined;
}

/** How the command line wants each seed to be played. */
export function prepareRun({ guard: name, only, processes, sequences }: Arguments): PreparedRun {
  const guard = name === undefined ? undefined : withoutGuard(guardNamed(name));
  return {
    run: { wraps: guard?.wraps, only, processes, sequences },
    unusedGuard: () => guard?.unused(),
  };
}
