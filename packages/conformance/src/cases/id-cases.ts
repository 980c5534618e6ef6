import assert from 'node:assert/strict';
import type { Guarantees, Id } from '@ids/core';
import { naturalOrder } from '@ids/core/order';
import { type ConformanceCase, never } from './conformance-case.js';
import { longDraw } from './draw-ids.js';

export const idCases: readonly ConformanceCase[] = [
  {
    name: 'issues ids of the type and string form it claims, the 100,000th as well as the first',
    skip: never,
    run: async (subject) => {
      const { idType, text } = subject.guarantees;
      const whole = new RegExp(`^(?:${text.pattern.source})$`, text.pattern.flags.replace(/[gmy]/g, ''));
      const { ids } = await longDraw(subject);
      for (const [index, id] of ids.entries()) {
        const which = () => `id number ${index + 1}, ${format(id)},`;
        if (typeof id !== idType) assert.fail(`${which()} is not of the claimed type`);
        if (typeof id === 'number' && !Number.isSafeInteger(id)) {
          assert.fail(`${which()} is not an exact whole number`);
        }
        if (!whole.test(String(id))) assert.fail(`${which()} does not match ${text.pattern}, whole`);
        const fault = faultOf(String(id), text);
        if (fault !== undefined) assert.fail(`${which()} ${fault}`);
      }
    },
  },
  {
    name: 'issues no two ids that differ in case only, unless it says so',
    skip: ({ idType, text }) => {
      if (idType !== 'string') return 'ids are numbers, which have no case';
      return text.caseSensitive ? 'case is said to distinguish ids' : undefined;
    },
    run: async (subject) => assertOneCase((await longDraw(subject)).ids.map(String)),
  },
  {
    name: 'issues ids that survive JSON',
    skip: ({ idType }) => (idType === 'bigint' ? 'ids are bigint, which JSON does not support' : undefined),
    run: async (subject) => {
      const ids = (await longDraw(subject)).ids.slice(0, 2_000);
      assert.deepEqual(JSON.parse(JSON.stringify(ids)), ids);
    },
  },
];

function faultOf(
  id: string,
  { prefix = '', alphabet, minLength = 0, maxLength }: Guarantees['text'],
): string | undefined {
  if (id.length > maxLength) return `is longer than ${maxLength}`;
  if (id.length < minLength) return `is shorter than ${minLength}`;
  if (!id.startsWith(prefix)) return `does not begin with ${JSON.stringify(prefix)}`;
  const foreign = alphabet && [...id.slice(prefix.length)].find((character) => !alphabet.includes(character));
  return foreign && `has ${JSON.stringify(foreign)}, which is not in its alphabet`;
}

function format(id: Id): string {
  return typeof id === 'string' ? JSON.stringify(id) : String(id);
}

/**
 * Fails if two of `texts` differ only in case. Also fails if a letter appears in both cases at one position
 * of strings of equal length: then two such ids are possible, even if none occurred here.
 */
function assertOneCase(texts: readonly string[]): void {
  // Most ids have letters of one case only, or none: then there is nothing to compare.
  if (texts.every((text) => text === text.toLowerCase())) return;
  if (texts.every((text) => text === text.toUpperCase())) return;
  assertDistinctWithoutCase(texts);
  assertOneCasePerPlace(texts);
}

function assertDistinctWithoutCase(texts: readonly string[]): void {
  const folded = texts.map((text) => ({ text, key: fold(text) }));
  folded.sort((a, b) => naturalOrder(a.key, b.key));
  for (let i = 1; i < folded.length; i++) {
    const [a, b] = [folded[i - 1], folded[i]];
    if (a === undefined || b === undefined || a.key !== b.key || a.text === b.text) continue;
    assert.fail(`ids ${a.text} and ${b.text} differ in case only, and text.caseSensitive is not claimed`);
  }
}

function assertOneCasePerPlace(texts: readonly string[]): void {
  /** For each length and each position: the first string that has a given letter there. */
  const seen = new Map<number, Map<string, string>[]>();
  for (const text of texts) {
    const places = seen.get(text.length) ?? Array.from(text, () => new Map<string, string>());
    seen.set(text.length, places);
    for (const [place, letters] of places.entries()) {
      const letter = text[place] ?? '';
      if (letters.has(letter)) continue;
      for (const twin of [letter.toLowerCase(), letter.toUpperCase()]) {
        const other = letters.get(twin);
        if (other === undefined) continue;
        assert.fail(
          `ids ${other} and ${text} have a letter in both cases at character ${place + 1}, ` +
            'and text.caseSensitive is not claimed',
        );
      }
      letters.set(letter, text);
    }
  }
}

/** Folds through upper case, as collations do: some letters have one upper-case and two lower-case forms. */
function fold(text: string): string {
  return text.toUpperCase().toLowerCase();
}
