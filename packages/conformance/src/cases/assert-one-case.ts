import assert from 'node:assert/strict';
import { compareIds } from '../checker/compare-ids.js';

/**
 * Fails when two of `texts` differ in case only, and when a letter comes in both cases at one place of texts
 * of one length: then some two ids can, though chance may not have shown them here.
 */
export function assertOneCase(texts: readonly string[]): void {
  // Most ids have letters of one case, or none: nothing is left to compare.
  if (texts.every((text) => text === text.toLowerCase())) return;
  if (texts.every((text) => text === text.toUpperCase())) return;
  assertDistinctWithoutCase(texts);
  assertOneCasePerPlace(texts);
}

function assertDistinctWithoutCase(texts: readonly string[]): void {
  const folded = texts.map((text) => ({ text, key: fold(text) }));
  folded.sort((a, b) => compareIds(a.key, b.key));
  for (let i = 1; i < folded.length; i++) {
    const [a, b] = [folded[i - 1], folded[i]];
    if (a === undefined || b === undefined || a.key !== b.key || a.text === b.text) continue;
    assert.fail(`ids ${a.text} and ${b.text} differ in case only, and text.caseSensitive is not claimed`);
  }
}

function assertOneCasePerPlace(texts: readonly string[]): void {
  /** For each length of text and each place in it: the text in which a letter came first. */
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

/** By way of upper case, as collations do: some letters have one upper case and two lower ones. */
function fold(text: string): string {
  return text.toUpperCase().toLowerCase();
}
