/**
 * The same text in one piece. Engines keep the result of `+` as a tree of its parts; as the first part of each id, that
 * tree would be walked again for every id that is hashed, compared or written out. For Latin-1 text.
 */
export function flatText(text: string): string {
  return String.fromCharCode(...Array.from(text, (character) => character.charCodeAt(0)));
}
