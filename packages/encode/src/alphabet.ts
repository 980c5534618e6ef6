/** The digits of a way of writing numbers. Each rises in ASCII, so that texts of one width sort like their numbers. */
export const ALPHABETS = {
  decimal: '0123456789',
  hex: '0123456789abcdef',
  base62: '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  /** https://www.crockford.com/base32.html: no I, L, O and U, so that people read it back right. */
  crockford: '0123456789ABCDEFGHJKMNPQRSTVWXYZ',
} as const;

export type AlphabetName = keyof typeof ALPHABETS;

export const ALPHABET_NAMES = Object.keys(ALPHABETS) as AlphabetName[];

/** Whether two texts that differ in case only are two ids. A column that ignores case would take them for one. */
export function isMixedCase(name: AlphabetName): boolean {
  return new Set(ALPHABETS[name].toLowerCase()).size < ALPHABETS[name].length;
}

/** The places of `text`'s characters in the alphabet; -1 for a character that is none of its digits. */
export function digitsIn(name: AlphabetName, text: string): number[] {
  const read = name === 'crockford' ? asCrockfordReads(text) : text;
  return Array.from(read, (character) => ALPHABETS[name].indexOf(character));
}

/** Either case, hyphens anywhere, and the letters that people mistake for digits. */
function asCrockfordReads(text: string): string {
  // Of the 26 letters only: toUpperCase makes S of ſ, I of ı and ST of ﬅ, which nobody wrote for a digit.
  const upper = text.replace(/[a-z]/g, (letter) => letter.toUpperCase());
  return upper.replaceAll('-', '').replaceAll('O', '0').replace(/[IL]/g, '1');
}

export function textOf(name: AlphabetName, digits: readonly number[]): string {
  const alphabet = ALPHABETS[name];
  let text = '';
  for (const digit of digits) text += alphabet[digit];
  return text;
}
