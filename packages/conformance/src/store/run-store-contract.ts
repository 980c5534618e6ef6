import assert from 'node:assert/strict';
import { CASE_TIMEOUT_MS, type TestRunner } from '../run-conformance.js';
import { hasFeature, type OpenStore, type StoreFeature, storeCases } from './store-cases.js';

/** A kind of `StrategyStore` under test. */
export interface StoreSubject {
  readonly name: string;
  /** Opens a store without a table. Each case opens one of its own. */
  readonly open: OpenStore;
  /** What the stores do not have. The cases about it are skipped visibly; default none. */
  readonly lacks?: readonly StoreFeature[];
}

/** Declares every case of `IdStrategy.store` as a test of `subject`. */
export function runStoreContract(
  { name, open, lacks = [] }: StoreSubject,
  { describe, it }: TestRunner,
): void {
  describe(`${name} keeps the contract of stores`, () => {
    for (const { name, needs, run } of storeCases) {
      const skipped = needs !== undefined && lacks.includes(needs);
      const declare = skipped ? it.skip : it;
      declare(skipped ? `${name} (skipped: it has no ${needs})` : name, () => run(open), CASE_TIMEOUT_MS);
    }
    // Otherwise `lacks` could turn off a case that the store must pass.
    for (const feature of lacks) {
      const body = async () =>
        assert.equal(hasFeature((await open()).store, feature), false, `it has a ${feature}`);
      it(`has no ${feature}`, body, CASE_TIMEOUT_MS);
    }
  });
}
