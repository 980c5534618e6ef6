import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CounterPosition, localCells } from '../src/counter-position.js';
import type * as main from '../src/index.js';
import { randomlySeeded } from '../src/issuer.js';
import { firstNotRising, SECOND } from './support/issuer-at.js';

/** Under which the copies of this package in one thread find each other's counter. */
const SHARED = Symbol.for('@ids/objectid issuer 1');

const randomOf = (id: string) => id.slice(8, 18);

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('the random part is 40 bits of the randomness of the platform, and the counter starts at another 24', () => {
  vi.stubGlobal('crypto', {
    getRandomValues: () => Uint32Array.of(0x1a, 0x02ff_ffff, 0x0304_05ff),
  });
  const issuer = randomlySeeded(new CounterPosition(localCells()));
  expect(issuer.issue(1, SECOND * 1_000).slice(8)).toBe('0000001a02030405');
});

describe('the first id of a thread', () => {
  let copy: typeof main;
  const shared = Reflect.get(globalThis, SHARED);
  beforeEach(async () => {
    Reflect.deleteProperty(globalThis, SHARED);
    vi.resetModules();
    copy = await import('../src/index.js');
  });
  afterEach(() => void Reflect.set(globalThis, SHARED, shared));

  it('makes the counter that all copies of this package go on with', async () => {
    const first = copy.createObjectIdGenerator().nextSync();
    expect(Reflect.has(globalThis, SHARED)).toBe(true);
    vi.resetModules();
    const other = await import('../src/index.js');
    expect(other.createObjectIdGenerator).not.toBe(copy.createObjectIdGenerator);
    const next = other.createObjectIdGenerator().nextSync();
    expect(randomOf(next)).toBe(randomOf(first));
    expect(firstNotRising([first, next])).toBe(-1);
  });

  it('comes with a reset before it all the same', () => {
    expect(() => copy.resetObjectIds()).not.toThrow();
    expect(copy.createObjectIdGenerator().nextSync()).toMatch(/^[0-9a-f]{24}$/);
  });

  it.each([
    ['is no process', undefined],
    ['is a part of Node.js only', { getBuiltinModule: () => undefined }],
  ])('comes where there %s', (_, process) => {
    vi.stubGlobal('process', process);
    expect(copy.createObjectIdGenerator().nextSync()).toMatch(/^[0-9a-f]{24}$/);
  });

  it.each([true, false])(
    'while a start-up snapshot is built (%s) has the random part drawn anew afterwards',
    (built) => {
      const callbacks: (() => void)[] = [];
      const startupSnapshot = {
        isBuildingSnapshot: () => built,
        addDeserializeCallback: (callback: () => void) => callbacks.push(callback),
      };
      const getBuiltinModule = (name: string) => (name === 'node:v8' ? { startupSnapshot } : undefined);
      vi.stubGlobal('process', { ...process, getBuiltinModule });
      const generator = copy.createObjectIdGenerator();
      const before = generator.nextSync();
      for (const callback of callbacks) callback();
      const after = generator.nextSync();
      expect(randomOf(after) !== randomOf(before)).toBe(built);
      expect(firstNotRising([before, after])).toBe(-1);
    },
  );
});
