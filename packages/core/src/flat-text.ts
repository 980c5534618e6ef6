/**
 * The same text in one piece. Engines keep the result of `+` as a tree of its parts; as the first part of
 * each id, that tree would be walked again for every id that is hashed, compared or written out.
 */
export function flatText(text: string): string {
  return [...text].join('');
}
