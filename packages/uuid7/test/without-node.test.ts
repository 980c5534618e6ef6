import { createContext, runInContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { type Bundled, bundle } from './support/bundle.js';
import { firstNotRising, msOf } from './support/ids.js';

const script = bundle();

/** The language itself, and what every browser and edge runtime has besides. */
function load(globals: object = {}): Bundled {
  const { crypto } = globalThis;
  return runInContext(script, createContext({ crypto, ...globals }));
}

describe('where there is no Node', () => {
  it('nothing asks for a module of Node', () => {
    expect(script).not.toMatch(/\b(?:require|import)\(/);
  });

  it('generators issue ids that rise, as text and as bytes', () => {
    const { createUuid7Generator, uuid7FromBytes, parseUuid7 } = load();
    const generator = createUuid7Generator();
    const bytes = createUuid7Generator({ as: 'bytes' });
    const ids = [...generator.nextBatchSync(100), generator.nextSync(), uuid7FromBytes(bytes.nextSync())];
    expect(firstNotRising(ids)).toBe(-1);
    expect(ids.map((id) => parseUuid7(id).uuid)).toEqual(ids);
  });

  it('each id has the millisecond of the clock there', () => {
    let now = 5_000;
    const { createUuid7Generator } = load({ Date: { now: () => now } });
    const generator = createUuid7Generator();
    const dated = [5_000, 5_001, 5_001, 90_000].map((ms) => {
      now = ms;
      return generator.nextSync().slice(0, 13);
    });
    expect(dated).toEqual(['00000000-1388', '00000000-1389', '00000000-1389', '00000001-5f90']);
  });

  it('importing draws no randomness, which edge runtimes forbid outside of a request', () => {
    let draws = 0;
    const getRandomValues = (words: Uint32Array) => {
      draws++;
      return globalThis.crypto.getRandomValues(words);
    };
    const { createUuid7Generator } = load({ crypto: { getRandomValues } });
    const generator = createUuid7Generator();
    expect(draws).toBe(0);
    generator.nextBatchSync(500);
    expect(draws).toBe(1);
    generator.nextBatchSync(1_000);
    expect(draws).toBe(2);
  });

  it('and no randomness, it is an error of the configuration', () => {
    for (const crypto of [undefined, {}]) {
      const { createUuid7Generator, uuid7At } = load({ crypto });
      const noRandomness = expect.objectContaining({ code: 'ERR_IDS_CONFIG' });
      expect(() => createUuid7Generator().nextSync()).toThrow(noRandomness);
      expect(() => uuid7At(new Date())).toThrow(noRandomness);
    }
  });

  it('a reset before the first id changes nothing, and draws nothing', () => {
    let draws = 0;
    const { resetUuid7s } = load({ crypto: { getRandomValues: () => draws++ } });
    resetUuid7s();
    expect(draws).toBe(0);
  });

  it('stubs of Node that throw, as some edge runtimes have them, do no harm', () => {
    const refuse = (): never => {
      throw new Error('not here');
    };
    const { createUuid7Generator } = load({ process: { getBuiltinModule: refuse }, setTimeout: refuse });
    const generator = createUuid7Generator();
    expect(firstNotRising([generator.nextSync(), generator.nextSync(), generator.nextSync()])).toBe(-1);
  });

  it('ids carry the time at which they were asked for', () => {
    const before = Date.now();
    const ms = msOf(load().createUuid7Generator().nextSync());
    expect(ms >= before && ms <= Date.now()).toBe(true);
  });
});
