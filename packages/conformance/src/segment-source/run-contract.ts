import { CASE_TIMEOUT_MS, type TestRunner } from '../run-conformance.js';
import type { OpenSource } from './opened-source.js';
import { segmentSourceCases } from './source-cases.js';

/** A kind of `SegmentSource` under test. */
export interface SegmentSourceSubject {
  readonly name: string;
  /** Opens an empty store. Each case opens one of its own. */
  readonly open: OpenSource;
  /** The source ignores `expectedMaxId`, as the port permits. The cases about it are skipped visibly. */
  readonly ignoresExpectedMaxId?: boolean;
}

/** Declares every case of the `SegmentSource` port as a test of `subject`. */
export function runSegmentSourceContract(
  { name, open, ignoresExpectedMaxId = false }: SegmentSourceSubject,
  { describe, it }: TestRunner,
): void {
  describe(`${name} keeps the contract of segment sources`, () => {
    for (const { name, expectsMaxId = false, run } of segmentSourceCases) {
      const skipped = expectsMaxId && ignoresExpectedMaxId;
      const declare = skipped ? it.skip : it;
      declare(
        skipped ? `${name} (skipped: it ignores expectedMaxId)` : name,
        () => run(open),
        CASE_TIMEOUT_MS,
      );
    }
  });
}
