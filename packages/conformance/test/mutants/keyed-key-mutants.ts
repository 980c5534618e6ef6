import { alter } from '../references/alter.js';
import { alterKeyed, type KeyedMutant, mapKeys } from './keyed-mutant.js';

const CLAIMS = 'claims what holds within a key, and by the view of a key the same of its ids';
const APART = 'keeps apart keys that differ in any byte';
const REFUSES = 'refuses keys of more than 255 bytes, and what is no well-formed string';
const STARTS = 'starts a key after startAfter with its first request only';

const HALF = /\p{Surrogate}/u;
const isString = (key: unknown): key is string => typeof key === 'string';

/** Which take two keys for one. */
const confusions: readonly (readonly [name: string, map: (key: string) => string])[] = [
  ['ignores the case of keys', (key) => key.toLowerCase()],
  ['ignores blanks at the end of a key', (key) => key.replace(/ +$/, '')],
  ['normalises keys', (key) => key.normalize('NFC')],
  ['ends a key at NUL', (key) => key.split('\0')[0] ?? ''],
  ['reads keys of digits as numbers', (key) => (/^\d+$/.test(key) ? String(Number(key)) : key)],
  ['stores 254 bytes of a key', (key) => key.slice(0, 254)],
];

export const keyedKeyMutants: readonly KeyedMutant[] = [
  {
    name: 'does not say that its claims hold within a key',
    fails: CLAIMS,
    saying: /the generator claims something else/,
    breaks: (family) => {
      const { within: _within, ...guarantees } = family.guarantees;
      return alterKeyed(family, { guarantees });
    },
  },
  {
    name: 'says of a view that its claims hold within a key',
    fails: CLAIMS,
    saying: /the view of a key claims something else/,
    breaks: (family) =>
      alterKeyed(family, { of: (key) => alter(family.of(key), { guarantees: family.guarantees }) }),
  },
  {
    name: 'loses a number of the key used before with a large batch of another',
    fails: 'counts each key from its own start, whatever is issued of others',
    saying: /ids of one key, beside those of others/,
    breaks: (family) => {
      let before = '';
      return alterKeyed(family, {
        next: async (key, options) => {
          if (key === 'b') before = key;
          return family.next(key, options);
        },
        nextBatch: async (key, count, options) => {
          if (count > 150 && key === 'a' && before !== '') await family.next(before);
          return family.nextBatch(key, count, options);
        },
      });
    },
  },
  {
    name: 'has one counter for all keys',
    fails: 'counts each key from its own start, whatever is issued of others',
    saying: /the first id of a key, after one of another key was issued/,
    breaks: (family) => mapKeys(family, (key) => (isString(key) && key.length < 5 ? 'all' : key)),
  },
  ...confusions.map(
    ([name, map]): KeyedMutant => ({
      name,
      fails: APART,
      saying: /has ids before its first call/,
      breaks: (family) =>
        mapKeys(family, (key) =>
          isString(key) && Buffer.byteLength(key) < 256 && !HALF.test(key) ? map(key) : key,
        ),
    }),
  ),
  {
    name: 'finds the keys of every object in its dictionary',
    fails: APART,
    saying: /the first id of "__proto__"/,
    breaks: (family) =>
      alterKeyed(family, {
        next: async (key, options) => {
          if (key in {} && (await family.highest(key)) === undefined) await family.next(key);
          return family.next(key, options);
        },
      }),
  },
  {
    name: 'cuts long keys',
    fails: REFUSES,
    saying: /next for the key .* must be refused/,
    breaks: (family) =>
      mapKeys(family, (key) => (isString(key) && key.length > 255 ? key.slice(0, 255) : key)),
  },
  {
    name: 'measures keys in characters',
    fails: REFUSES,
    saying: /next for the key "éé.* must be refused/,
    breaks: (family) =>
      mapKeys(family, (key) =>
        isString(key) && key.length <= 255 ? Buffer.from(key).toString('latin1', 0, 100) : key,
      ),
  },
  {
    name: 'replaces half characters',
    fails: REFUSES,
    saying: /next for the key .*ud800.* must be refused/,
    breaks: (family) => mapKeys(family, (key) => (isString(key) ? Buffer.from(key).toString() : key)),
  },
  {
    name: 'takes what is no string',
    fails: REFUSES,
    saying: /next for the key 7 must be refused/,
    breaks: (family) => mapKeys(family, (key) => String(key)),
  },
  {
    name: 'looks at a key when ids of it are wanted only',
    fails: REFUSES,
    saying: /highest for the key .* must be refused/,
    breaks: (family) =>
      alterKeyed(family, {
        highest: async (key, options) => {
          const usable = isString(key) && key.length < 256 && !HALF.test(key) && Buffer.byteLength(key) < 256;
          return usable ? family.highest(key, options) : undefined;
        },
      }),
  },
  {
    name: 'ignores startAfter',
    fails: STARTS,
    saying: /numbers between keys that start after/,
    breaks: (family) =>
      alterKeyed(family, { next: (key, { startAfter: _, ...options } = {}) => family.next(key, options) }),
  },
  {
    name: 'starts a key again with each startAfter',
    fails: STARTS,
    saying: /ids of a key with startAfter once more/,
    breaks: (family) =>
      alterKeyed(family, {
        next: (key, options) =>
          family.next(options?.startAfter ? `${key} ${options.startAfter}` : key, options),
      }),
  },
  {
    name: 'begins a key whose startAfter it refuses',
    fails: STARTS,
    saying: /a refused startAfter began its key/,
    breaks: (family) =>
      alterKeyed(family, {
        next: async (key, options) => {
          const refused = await family.next(key, options).then(
            (id) => ({ id }),
            (error: unknown) => ({ error }),
          );
          if ('id' in refused) return refused.id;
          if (refused.error instanceof RangeError && options?.startAfter !== undefined)
            await family.next(key);
          throw refused.error;
        },
      }),
  },
  {
    name: 'reads wrong values of startAfter as 0',
    fails: STARTS,
    saying: /startAfter -1 must be refused/,
    breaks: (family) =>
      alterKeyed(family, {
        next: (key, options) =>
          family.next(
            key,
            Number.isSafeInteger(options?.startAfter) && Number(options?.startAfter) >= 0 ? options : {},
          ),
      }),
  },
];
