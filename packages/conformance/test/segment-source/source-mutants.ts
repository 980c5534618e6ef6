import { movedTo, ReferenceSource } from './reference-source.js';

/** A source that is broken on purpose, in one way. */
export interface SourceMutant {
  /** What it does wrong. */
  readonly name: string;
  /** The name of the case that must notice. */
  readonly fails: string;
  /** What the case must say, so that it fails for this reason and not for another. */
  readonly saying: RegExp;
  /** The steps of `ReferenceSource` in its place. */
  readonly broken: Partial<ReferenceSource>;
}

const { prototype: sound } = ReferenceSource;
const nothing = () => undefined;
const atOnce = <T>(work: () => Promise<T>) => work();

export const sourceMutants: readonly SourceMutant[] = [
  {
    name: 'leaves an id out before each range',
    fails: 'reserves ranges that follow each other, from the one after the start on',
    saying: /43/,
    broken: { baseOf: async ({ maxId }, floor) => Math.max(maxId, floor) + 1 },
  },
  {
    name: 'reads where it is, and writes later',
    fails: 'reserves disjoint ranges for callers that ask at the same time',
    saying: /the ranges of 20 callers/,
    broken: { alone: atOnce },
  },
  {
    name: 'has one sequence, whatever the name',
    fails: 'keeps sequences apart',
    saying: /after another one was used/,
    broken: {
      find(this: ReferenceSource) {
        return sound.find.call(this, 'order');
      },
    },
  },
  {
    name: 'starts a sequence over that is created again',
    fails: 'leaves a sequence alone that is created again',
    saying: /maxId/,
    broken: {
      async createSequence(this: ReferenceSource, name, startAfter) {
        const realm = this.sequences.get(name)?.realm ?? 'new';
        this.sequences.set(name, { realm, maxId: startAfter });
      },
    },
  },
  {
    name: 'has one realm for all sequences',
    fails: 'gives each sequence a realm of its own',
    saying: /two sequences have one realm/,
    broken: { newRealm: () => 'everywhere' },
  },
  {
    name: 'ignores the floor',
    fails: 'reserves above a floor, and leaves a sequence alone that stands higher',
    saying: /with a floor of 1000/,
    broken: { baseOf: async ({ maxId }) => maxId },
  },
  {
    name: 'goes down to a lower floor',
    fails: 'reserves above a floor, and leaves a sequence alone that stands higher',
    saying: /with a floor of 3/,
    broken: { baseOf: async ({ maxId }, floor) => floor || maxId },
  },
  {
    name: 'jumps as far as it is told',
    fails: 'refuses to jump more than 10^9 ids to a floor',
    saying: /a floor of 1000000011 must be refused/,
    broken: { checkJump: nothing },
  },
  {
    name: 'reserves first, and compares then',
    fails: 'reserves behind the id that is expected, and nothing if the sequence is not there',
    saying: /maxId/,
    broken: {
      async expect(sequence, expectedMaxId) {
        const { maxId } = sequence;
        if (maxId === expectedMaxId) return;
        sequence.maxId += 5;
        throw movedTo(maxId);
      },
    },
  },
  {
    name: 'ignores expectedMaxId',
    fails: 'reserves behind the id that is expected, and nothing if the sequence is not there',
    saying: /expectedMaxId 10 at 15 must be refused/,
    broken: { expect: async () => undefined },
  },
  {
    name: 'compares, and reserves later',
    fails: 'makes one of the reservations that expect the same',
    saying: /the reservations that were made/,
    broken: { alone: atOnce },
  },
  {
    name: 'takes any expectedMaxId',
    fails: 'refuses an expectedMaxId that is not a whole number from 0 to 2^53 - 1',
    saying: /expectedMaxId -1 must fail with a RangeError/,
    broken: { checkExpected: nothing },
  },
  {
    name: 'takes any floor',
    fails: 'refuses a floor that is not a whole number from 0 to 2^53 - 1',
    saying: /a floor of -1 must be refused/,
    broken: { checkFloor: nothing },
  },
  {
    name: 'takes any size',
    fails: 'refuses a size that is not a whole number from 1 to 10^9',
    saying: /a size of 0 must be refused/,
    broken: { checkSize: nothing },
  },
  {
    name: 'starts a missing sequence at 1',
    fails: 'says that a sequence is missing, instead of starting one at 1',
    saying: /describe without a sequence must be refused/,
    broken: {
      find(this: ReferenceSource, name) {
        const found = this.sequences.get(name) ?? { realm: 'new', maxId: 0 };
        this.sequences.set(name, found);
        return found;
      },
    },
  },
  {
    name: 'counts in 32 bits',
    fails: 'crosses 2^31, 2^32 and 10^15 exactly',
    saying: /behind 4294967296/,
    broken: { baseOf: async ({ maxId }, floor) => Math.max(maxId, floor) % 2 ** 32 },
  },
  {
    name: 'counts beyond 2^53',
    fails: 'gives ids up to 2^53 - 1 exactly, and never beyond',
    saying: /more ids than are left must be refused/,
    broken: { checkEnd: nothing },
  },
  {
    name: 'takes any name',
    fails: 'refuses names that are empty, too long, or have control characters, braces or half characters',
    saying: /creating the name "" must be refused/,
    broken: { checkName: nothing },
  },
  {
    name: 'counts the characters of a name in 16 bits',
    fails: 'takes a name of 255 characters outside the first plane',
    saying: /must be taken/,
    broken: {
      checkName(this: ReferenceSource, name) {
        sound.checkName.call(this, name.length > 255 ? '' : name);
      },
    },
  },
  {
    name: 'works for callers that have given up',
    fails: 'does nothing for a caller that has given up already',
    saying: /reserve after an abort must be refused/,
    broken: { checkSignal: nothing },
  },
];
