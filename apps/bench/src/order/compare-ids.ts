import type { Id } from '@ids/core';

/** Negative, zero or positive, as for `Array.prototype.sort`. */
export type Compare = (a: Id, b: Id) => number;

/**
 * The order in which ids are meant to rise: numbers by value, texts by code unit where the strategy says that
 * this works, else with each run of digits read as one number.
 */
export function compareIds(text: { readonly sortable: boolean }): Compare {
  const compareText = text.sortable ? byCodeUnit : naturally;
  return (a, b) =>
    typeof a === 'string' && typeof b === 'string' ? compareText(a, b) : a < b ? -1 : a > b ? 1 : 0;
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** `a9` before `a10`. Exact for runs of any length: numbers are compared as digits. */
function naturally(a: string, b: string): number {
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (isDigit(a, i) && isDigit(b, j)) {
      while (a[i] === '0') i++;
      while (b[j] === '0') j++;
      const aEnd = endOfDigits(a, i);
      const bEnd = endOfDigits(b, j);
      if (aEnd - i !== bEnd - j) return aEnd - i - (bEnd - j);
      for (; i < aEnd; i++, j++) if (a[i] !== b[j]) return a.charCodeAt(i) - b.charCodeAt(j);
    } else {
      if (a[i] !== b[j]) return a.charCodeAt(i) - b.charCodeAt(j);
      i++;
      j++;
    }
  }
  // Different texts must not compare as equal, so what differs in leading zeros only goes by code unit.
  return a.length - i - (b.length - j) || byCodeUnit(a, b);
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

function endOfDigits(text: string, from: number): number {
  let end = from;
  while (end < text.length && isDigit(text, end)) end++;
  return end;
}
