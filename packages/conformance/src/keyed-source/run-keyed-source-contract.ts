import { CASE_TIMEOUT_MS, type TestRunner } from '../run-conformance.js';
import { concurrentSourceCases } from './concurrent-source-cases.js';
import { groupSourceCases } from './group-source-cases.js';
import { type KeyedSourceCase, keySourceCases } from './key-source-cases.js';
import type { OpenKeyedSource } from './opened-keyed-source.js';

/** A kind of `KeyedSource` under test. */
export interface KeyedSourceSubject {
  readonly name: string;
  /** Opens an empty store. Each case opens one of its own. */
  readonly open: OpenKeyedSource;
  /** Nobody can lock a key of the store. The cases about locks are skipped visibly. */
  readonly cannotLock?: boolean;
  /** It refuses families with groups. The cases about them are skipped visibly. */
  readonly cannotGroup?: boolean;
}

/** All cases, from single calls to those that meet each other. */
export const keyedSourceCases: readonly KeyedSourceCase[] = [
  ...keySourceCases,
  ...groupSourceCases,
  ...concurrentSourceCases,
];

/** Declares every case of the `KeyedSource` port as a test of `subject`. */
export function runKeyedSourceContract(
  { name, open, cannotLock = false, cannotGroup = false }: KeyedSourceSubject,
  { describe, it }: TestRunner,
): void {
  describe(`${name} keeps the contract of sources of keys`, () => {
    for (const { name, locks = false, groups = false, run } of keyedSourceCases) {
      const cannot = locks && cannotLock ? 'lock' : groups && cannotGroup ? 'group' : undefined;
      const declare = cannot === undefined ? it : it.skip;
      const title = cannot === undefined ? name : `${name} (skipped: it cannot ${cannot})`;
      declare(title, () => run(open), CASE_TIMEOUT_MS);
    }
  });
}
