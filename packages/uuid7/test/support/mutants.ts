// Generators of UUIDs of version 7 that are broken on purpose, each in a way in which one in use was; also
// opened in threads and processes.
import type { Guarantees, IdGenerator } from '@ids/core';
import { memoryGenerator } from '@ids/core/strategy';
import { createUuid7Generator } from '../../src/index.js';

interface Mutant {
  /** The case of the kit that must notice, and what it must say. */
  readonly fails: string;
  readonly saying: RegExp;
  /** The id number `index`, from 0, of a generator. */
  idAt(index: number): string;
}

const hex = (value: number, width: number): string => value.toString(16).padStart(width, '0');
const random = (width: number): string => hex(Math.floor(Math.random() * 16 ** width), width);

function uuid(ms: number, counter: number, last: string): string {
  const [high, low] = [Math.floor(counter / 2 ** 12), counter % 2 ** 12];
  return `${hex(ms, 12).replace(/^.{8}/, '$&-')}-7${hex(high, 3)}-8${hex(low, 3)}-${last}`;
}

const started = Date.now();

export const mutants: Readonly<Record<string, Mutant>> = {
  'has no counter, only random bits': {
    fails: 'issues increasing ids',
    saying: /./,
    idAt: () => uuid(Date.now(), Math.floor(Math.random() * 2 ** 24), random(12)),
  },
  'starts over when its counter wraps': {
    fails: 'issues increasing ids',
    saying: /./,
    idAt: (index) => uuid(started, index % 2 ** 12, random(12)),
  },
  'follows a clock that is set back': {
    fails: 'issues increasing ids',
    saying: /./,
    idAt: (index) => uuid(Date.now() - (index > 100 ? 3_600_000 : 0), index, random(12)),
  },
  'has one pool of random bits for all threads and processes': {
    fails: 'issues no id twice from worker threads, beside their main thread and after others have ended',
    saying: /given twice/,
    idAt: (index) => uuid(Math.floor(Date.now() / 1e7), index, hex(index, 12)),
  },
  'writes its counter with the low byte first': {
    fails: 'issues ids whose strings sort in the order of issue',
    saying: /./,
    idAt: (index) => uuid(started, ((index & 0xff) << 16) | (index >> 8), random(12)),
  },
};

export const guarantees: Guarantees = createUuid7Generator().guarantees;

export async function open({ mutant: name }: { readonly mutant: string }): Promise<IdGenerator> {
  const mutant = mutants[name];
  if (mutant === undefined) throw new Error(`unknown mutant "${name}"`);
  let index = 0;
  return memoryGenerator({ strategy: 'uuid7', guarantees, issue: () => mutant.idAt(index++) });
}
