import { createContext, runInContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { type Bundled, bundle } from './support/bundle.js';
import { firstNotRising, secondOf } from './support/issuer-at.js';

const script = bundle();

/** The language itself, and what every browser and edge runtime has besides. */
function load(globals: object = {}): Bundled {
  const { crypto, atob, btoa } = globalThis;
  return runInContext(script, createContext({ crypto, atob, btoa, ...globals }));
}

describe('where there is no Node', () => {
  const { createObjectIdGenerator, ObjectId } = load();

  it('nothing asks for a module of Node', () => {
    expect(script).not.toMatch(/\b(?:require|import)\(/);
  });

  it('generators issue ids that rise', () => {
    const generator = createObjectIdGenerator();
    const ids = [...generator.nextBatchSync(100), generator.nextSync(), generator.nextSync()];
    expect(ids[0]).toMatch(/^[0-9a-f]{24}$/);
    expect(firstNotRising(ids)).toBe(-1);
  });

  it('each id has the second of the clock there', () => {
    let now = 5_000;
    // A counter that starts at 0 and not at random, hence far from where it would run
    // over into the next second.
    const crypto = { getRandomValues: <T>(zeros: T) => zeros };
    const { createObjectIdGenerator } = load({ Date: { now: () => now }, crypto });
    const generator = createObjectIdGenerator();
    const seconds = [5_000, 5_999, 6_000, 90_000].map((ms) => {
      now = ms;
      return secondOf(generator.nextSync());
    });
    expect(seconds).toEqual([5, 5, 6, 90]);
  });

  it('ObjectIds are made, read and written', () => {
    const id = new ObjectId();
    expect(new ObjectId(id.toHexString()).equals(id)).toBe(true);
    expect(ObjectId.createFromBase64(id.toString('base64')).equals(id)).toBe(true);
    expect(new ObjectId(id.id).equals(id)).toBe(true);
    expect(Object.prototype.toString.call(id.id)).toBe('[object Uint8Array]');
    expect(ObjectId.isValid(id)).toBe(true);
  });

  it('importing draws no randomness, which edge runtimes forbid outside of a request', () => {
    let draws = 0;
    const getRandomValues = (bytes: Uint8Array) => {
      draws++;
      return globalThis.crypto.getRandomValues(bytes);
    };
    const { createObjectIdGenerator } = load({ crypto: { getRandomValues } });
    const generator = createObjectIdGenerator();
    expect(draws).toBe(0);
    generator.nextBatchSync(10_000);
    expect(draws).toBe(1);
  });

  it('stubs of Node that throw, as some edge runtimes have them, do no harm', () => {
    const refuse = (): never => {
      throw new Error('not here');
    };
    const { createObjectIdGenerator } = load({
      process: { getBuiltinModule: refuse },
      setTimeout: refuse,
      setImmediate: refuse,
    });
    const generator = createObjectIdGenerator();
    expect(firstNotRising([generator.nextSync(), generator.nextSync(), generator.nextSync()])).toBe(-1);
  });
});
