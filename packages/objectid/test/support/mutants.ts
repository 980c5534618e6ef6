// ObjectId generators that are broken on purpose, each in a way in which one in use was; also opened
// in threads and processes.
import type { Guarantees, IdGenerator } from '@ids/core';
import { memoryGenerator } from '@ids/core/strategy';
import { createObjectIdGenerator } from '../../src/index.js';

interface Mutant {
  /** The case of the kit that must notice, and what it must say. */
  readonly fails: string;
  readonly saying: RegExp;
  readonly claims?: Partial<Guarantees>;
  /** The id number `index`, from 0, of a generator. */
  idAt(index: number): string;
}

/** For the kit a second must be used up soon. */
const FEW_PER_SECOND = 300_000;

const hex = (value: number, width: number): string => value.toString(16).padStart(width, '0');
const second = (): number => Math.floor(Date.now() / 1_000);
const random = hex(Math.floor(Math.random() * 2 ** 40), 10);
const started = second();

export const mutants: Readonly<Record<string, Mutant>> = {
  'starts over when its counter wraps': {
    fails: 'issues no id twice above its limit of ids per second',
    saying: /given twice/,
    claims: { maxIdsPerSecond: FEW_PER_SECOND },
    idAt: (index) => hex(started, 8) + random + hex(index % FEW_PER_SECOND, 6),
  },
  'follows a clock that is set back': {
    fails: 'issues increasing ids',
    saying: /./,
    idAt: (index) => hex(second() - (index > 100 ? 3_600 : 0), 8) + random + hex(index, 6),
  },
  'has one random part for all threads': {
    fails: 'issues no id twice from worker threads, beside their main thread and after others have ended',
    saying: /given twice/,
    idAt: (index) => hex(Math.floor(second() / 1_000), 8) + hex(process.pid, 10) + hex(index, 6),
  },
  'writes its counter with the low byte first': {
    fails: 'issues ids whose strings sort in the order of issue',
    saying: /./,
    idAt: (index) => {
      const [high, middle, low] = [index >> 16, (index >> 8) & 0xff, index & 0xff];
      return hex(started, 8) + random + [low, middle, high].map((byte) => hex(byte, 2)).join('');
    },
  },
};

export function guaranteesOf({ claims }: Mutant): Guarantees {
  return Object.freeze({ ...createObjectIdGenerator().guarantees, ...claims });
}

export async function open({ mutant: name }: { readonly mutant: string }): Promise<IdGenerator> {
  const mutant = mutants[name];
  if (mutant === undefined) throw new Error(`unknown mutant "${name}"`);
  let index = 0;
  return memoryGenerator({
    strategy: 'objectid',
    guarantees: guaranteesOf(mutant),
    issue: () => mutant.idAt(index++),
  });
}
