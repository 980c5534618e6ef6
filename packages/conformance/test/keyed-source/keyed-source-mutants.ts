import { IdError } from '@ids/core';
import { ReferenceKeyedSource } from './reference-keyed-source.js';

/** A source of keys that is broken on purpose, in one way. */
export interface KeyedSourceMutant {
  /** What it does wrong. */
  readonly name: string;
  /** The name of the case that must notice. */
  readonly fails: string;
  /** What the case must say, so that it fails for this reason and not for another. */
  readonly saying: RegExp;
  /** The steps of `ReferenceKeyedSource` in its place. */
  readonly broken: Partial<ReferenceKeyedSource>;
}

const { prototype: sound } = ReferenceKeyedSource;
const nothing = () => undefined;

const STARTS = 'starts keys after their family, and startAfter of the first request above that';
const FLOOR = 'reserves above a floor, and leaves a key alone that stands higher';
const LIMIT =
  'lets at most so many keys begin as it is told, the first ones, and serves those that have begun';
const USED_UP = 'refuses a key that is used up, alone, and serves all others of the call';
const APART = 'keeps apart keys that differ in any byte';
const REFUSES = 'refuses keys of more than 255 bytes, and what is no well-formed string';
const FAMILIES = 'keeps families apart, and says that one is missing';
const HIGHEST = 'reads the highest id that was reserved, and none of a key without ids';
const OPPOSITE = 'reserves each id once for calls with the same keys in opposite orders, and loses none';
const AT_ONCE = 'answers for a locked key at once, beside new, limited, used up and other keys of the call';
const MIDNIGHT = 'begins each key anew at midnight by the clock of the store, and lets no id outlive its day';
const MONTHS = 'counts in months and years as well';
const LAST_NUMBER = 'ends with the last number of a day, for that key alone';
const AHEAD = 'goes on in a day that the clock of the store is just before, and in no later one';
const WAITS = 'waits for a locked key when it is told to, and reserves nothing once that took too long';

export const keyedSourceMutants: readonly KeyedSourceMutant[] = [
  {
    name: 'starts every key at 1',
    fails: STARTS,
    saying: /the first ids of three keys/,
    broken: { start: (_family, startAfter) => startAfter },
  },
  {
    name: 'starts a key where the request says, also below its family',
    fails: STARTS,
    saying: /the first ids of three keys/,
    broken: { start: (family, startAfter) => startAfter || family.startAfter },
  },
  {
    name: 'raises the family with each key',
    fails: STARTS,
    saying: /maxId of the family after keys began/,
    broken: {
      async describe(this: ReferenceKeyedSource, name) {
        const { realm, startAfter, highest } = this.find(name);
        return { realm, maxId: startAfter + highest.size };
      },
    },
  },
  {
    name: 'answers in the order of the keys',
    fails: 'answers in the order of the requests, also for 500 keys',
    saying: /the last ids of 500 new keys/,
    broken: {
      inOrder(this: ReferenceKeyedSource, requests, answers) {
        return sound.inOrder.call(this, requests.length > 100 ? this.sorted(requests) : requests, answers);
      },
    },
  },
  {
    name: 'ignores the floor',
    fails: FLOOR,
    saying: /of a used key, with a floor of 1000/,
    broken: { baseOf: (from) => from },
  },
  {
    name: 'goes down to a lower floor',
    fails: FLOOR,
    saying: /of a used key after that, with a floor of 3/,
    broken: { baseOf: (from, floor) => floor || from },
  },
  {
    name: 'lets one key more begin',
    fails: LIMIT,
    saying: /keys that began, where 0 may/,
    broken: { mayBegin: (begun, newKeys) => begun <= newKeys },
  },
  {
    name: 'lets keys begin in the order of their bytes',
    fails: LIMIT,
    saying: /keys that began, where 2 may/,
    broken: { served: (_requests, locked) => locked },
  },
  {
    name: 'counts beyond 2^53',
    fails: USED_UP,
    saying: /ids of new and full/,
    broken: { isUsedUp: () => false },
  },
  {
    name: 'rejects a call with a key that is used up',
    fails: USED_UP,
    saying: /beside keys that are used up|no ids of/,
    broken: {
      refused(key) {
        throw new IdError('ERR_IDS_EXHAUSTED', `no ids of ${key} are left`);
      },
    },
  },
  {
    name: 'counts in 32 bits',
    fails: 'reserves many ids exactly, across 2^31, 2^32 and 10^15',
    saying: /the last of 10\^9 ids behind 4294967296/,
    broken: {
      baseOf: (from, floor) => {
        const base = Math.max(from, floor);
        return base > 2 ** 32 && base < 2 ** 33 ? base % 2 ** 32 : base;
      },
    },
  },
  {
    name: 'ignores the case of keys',
    fails: APART,
    saying: /request 1 for the key "A"/,
    broken: { nameOf: (key) => key.toLowerCase() },
  },
  {
    name: 'ignores blanks at the end of a key',
    fails: APART,
    saying: /request 1 for the key/,
    broken: { nameOf: (key) => key.replace(/ +$/, '') },
  },
  {
    name: 'takes any key',
    fails: REFUSES,
    saying: /reserve for the key .* must be refused/,
    broken: { checkKey: nothing },
  },
  {
    name: 'looks at the first key of a call only',
    fails: REFUSES,
    saying: /reserve for the key .* must be refused/,
    broken: {
      checkKeys(this: ReferenceKeyedSource, [first]) {
        this.checkKey(first?.key);
      },
    },
  },
  {
    name: 'has one family, whatever its name',
    fails: FAMILIES,
    saying: /a key of another family/,
    broken: {
      find(this: ReferenceKeyedSource) {
        return sound.find.call(this, 'message');
      },
    },
  },
  {
    name: 'makes a family that is missing',
    fails: FAMILIES,
    saying: /describe without a family must be refused/,
    broken: {
      find(this: ReferenceKeyedSource, name) {
        if (!this.families.has(name)) this.createFamily(name, 0);
        return sound.find.call(this, name);
      },
    },
  },
  {
    name: 'reads where a key without ids would start',
    fails: HIGHEST,
    saying: /the highest id before the first/,
    broken: {
      async highestOf(this: ReferenceKeyedSource, family, key) {
        return (await sound.highestOf.call(this, family, key)) ?? (family.startAfter || undefined);
      },
    },
  },
  {
    name: 'works for callers that have given up',
    fails: 'does nothing for a caller that has given up already',
    saying: /reserve after an abort must be refused/,
    broken: { checkSignal: nothing },
  },
  {
    name: 'reads a key, and writes it later',
    fails: OPPOSITE,
    saying: /the ends of the reservations of|is not above|missed again and again/,
    broken: { lock: async () => nothing },
  },
  {
    name: 'locks keys in the order of the requests',
    fails: OPPOSITE,
    saying: /a caller failed: .*locked for too long/,
    broken: { sorted: (requests) => [...requests] },
  },
  {
    name: 'waits for locked keys whatever it is told',
    fails: AT_ONCE,
    saying: /a call with a locked key, which waits for nothing/,
    broken: { mayWait: () => true },
  },
  {
    name: 'answers for new keys as if they were locked while a key is',
    fails: AT_ONCE,
    saying: /two new keys, one of which may begin/,
    broken: {
      inOrder(this: ReferenceKeyedSource, requests, answers) {
        const all = sound.inOrder.call(this, requests, answers);
        const locked = all.some((answer) => 'missed' in answer && answer.missed === 'locked');
        return all.map((answer) =>
          locked && 'high' in answer && answer.isNew ? { missed: 'locked' } : answer,
        );
      },
    },
  },
  {
    name: 'never waits for a locked key',
    fails: WAITS,
    saying: /the ids after the lock, three behind the first|it was not locked/,
    broken: { mayWait: () => false },
  },
  {
    name: 'reserves ids of a locked key although their caller is gone',
    fails: WAITS,
    saying: /the ids after the lock, three behind the first/,
    broken: {
      async tooLate(this: ReferenceKeyedSource, key) {
        const { highest } = this.find('message');
        highest.set(key, (highest.get(key) ?? 0) + 5);
        return sound.tooLate.call(this, key);
      },
    },
  },
  {
    name: 'begins days at the midnight of UTC',
    fails: MIDNIGHT,
    saying: /first ids of two keys|next id of a key in the same day|no first id of a key in a new day/,
    broken: {
      groupOf(this: ReferenceKeyedSource, family) {
        return sound.groupOf.call(this, {
          ...family,
          group: family.group && { by: 'day', timeZone: '+00:00' },
        });
      },
    },
  },
  {
    name: 'goes on counting over midnight',
    fails: MIDNIGHT,
    saying: /the first id of a key in a new day/,
    broken: {
      inGroup(this: ReferenceKeyedSource, from, group) {
        const base = group?.base ?? 0;
        return from > 0 && from < base ? base + (from % 1e8) : Math.max(from, base);
      },
    },
  },
  {
    name: 'applies startAfter anew in each day',
    fails: MIDNIGHT,
    saying: /a new key, and one of the day before, in a new day/,
    broken: {
      baseOf(from, floor) {
        return from % 1e8 === 0 && floor > 0 ? from + (floor % 1e8) : Math.max(from, floor);
      },
    },
  },
  {
    name: 'says nothing about the end of ids',
    fails: MIDNIGHT,
    saying: /ids of a day say nothing about its end/,
    broken: { expiryOf: () => ({}) },
  },
  {
    name: 'lets ids live for a minute after midnight',
    fails: MIDNIGHT,
    saying: /ids of a day live on after the first one of the next/,
    broken: {
      expiryOf: ({ leftMs }, sentAt) => ({ expiresAt: sentAt + leftMs + (leftMs < 3_600_000 ? 60_000 : 0) }),
    },
  },
  {
    name: 'has days only',
    fails: MONTHS,
    saying: /ids of a key in a month/,
    broken: {
      groupOf(this: ReferenceKeyedSource, family) {
        return sound.groupOf.call(this, { ...family, group: family.group && { ...family.group, by: 'day' } });
      },
    },
  },
  {
    name: 'runs into the next day',
    fails: LAST_NUMBER,
    saying: /a key with too few ids left in its day: (full|never) got some/,
    broken: { refusedIn: () => undefined },
  },
  {
    name: 'begins a key in the day after',
    fails: LAST_NUMBER,
    saying: /a key with too few ids left in its day: never/,
    broken: {
      refusedIn(this: ReferenceKeyedSource, group, base, size) {
        return size >= group.capacity ? undefined : sound.refusedIn.call(this, group, base, size);
      },
    },
  },
  {
    name: 'refuses a day that begins in some seconds',
    fails: AHEAD,
    saying: /no ids of early/,
    broken: {
      refusedIn(this: ReferenceKeyedSource, group, base, size) {
        return sound.refusedIn.call(this, { ...group, limit: group.base + group.capacity }, base, size);
      },
    },
  },
  {
    name: 'issues ids of any day to come',
    fails: AHEAD,
    saying: /ids of a day that has not begun/,
    broken: {
      refusedIn(this: ReferenceKeyedSource, group, base, size) {
        return sound.refusedIn.call(this, { ...group, limit: Number.POSITIVE_INFINITY }, base, size);
      },
    },
  },
  {
    name: 'goes back to the day of the clock',
    fails: AHEAD,
    saying: /an id after it/,
    broken: {
      inGroup: (from, group) =>
        group && from >= group.base + group.capacity ? group.base : Math.max(from, group?.base ?? 0),
    },
  },
];
