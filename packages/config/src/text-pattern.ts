/** A pattern, as far as those of ids go. */
export type PatternNode =
  | { readonly kind: 'characters'; readonly ranges: readonly CharacterRange[] }
  | { readonly kind: 'all'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'any'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly part: PatternNode; readonly least: number; readonly most: number };

/** Code units, both ends inclusive. */
export type CharacterRange = readonly [low: number, high: number];

const DIGITS: CharacterRange = [0x30, 0x39];
const WORD: readonly CharacterRange[] = [DIGITS, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]];
const QUANTIFIER = /^(?:([?*+])|\{(\d+)(?:(,)(\d*))?\})/;

/**
 * Reads literals, classes, groups, alternatives and quantifiers between `^` and `$`. Undefined where the
 * pattern has anything else, such as a look-ahead or a flag that changes what matches.
 */
export function readPattern({ source, flags }: RegExp): PatternNode | undefined {
  const whole = /^\^(.*)\$$/s.exec(source)?.[1];
  return whole === undefined || /[imsuv]/.test(flags) ? undefined : new PatternReader(whole).read();
}

class PatternReader {
  #rest: string;

  constructor(source: string) {
    this.#rest = source;
  }

  read(): PatternNode | undefined {
    // Alternatives that stand outside of a group would each have but one of the anchors.
    const node = this.#sequence();
    return this.#rest === '' ? node : undefined;
  }

  #alternatives(): PatternNode | undefined {
    const parts: PatternNode[] = [];
    do {
      const part = this.#sequence();
      if (part === undefined) return undefined;
      parts.push(part);
    } while (this.#take(/^\|/));
    return { kind: 'any', parts };
  }

  #sequence(): PatternNode | undefined {
    const parts: PatternNode[] = [];
    while (this.#rest !== '' && !/^[|)]/.test(this.#rest)) {
      const part = this.#atom();
      if (part === undefined) return undefined;
      parts.push(this.#repeated(part));
    }
    return { kind: 'all', parts };
  }

  #atom(): PatternNode | undefined {
    if (this.#take(/^\((?:\?:)?(?!\?)/)) {
      const inner = this.#alternatives();
      return this.#take(/^\)/) ? inner : undefined;
    }
    const [, inside] = this.#take(/^\[((?:[^\\\]]|\\.)*)\]/) ?? [];
    const ranges = inside === undefined ? this.#single(/^(?:\\.|[^\\^$.*+?()[\]{}|])/) : classRanges(inside);
    return ranges && { kind: 'characters', ranges };
  }

  #single(character: RegExp): readonly CharacterRange[] | undefined {
    const [text] = this.#take(character) ?? [];
    return text === undefined ? undefined : rangesOf(text);
  }

  #repeated(part: PatternNode): PatternNode {
    const [, sign, least, comma, most] = this.#take(QUANTIFIER) ?? [];
    if (sign === undefined && least === undefined) return part;
    if (sign !== undefined) {
      const [low, high] = [sign === '+' ? 1 : 0, sign === '?' ? 1 : Number.POSITIVE_INFINITY];
      return { kind: 'repeat', part, least: low, most: high };
    }
    const high = comma === undefined ? Number(least) : most ? Number(most) : Number.POSITIVE_INFINITY;
    return { kind: 'repeat', part, least: Number(least), most: high };
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    const found = pattern.exec(this.#rest) ?? undefined;
    if (found !== undefined) this.#rest = this.#rest.slice(found[0].length);
    return found;
  }
}

/** Of `\d`, `\w`, an escaped sign, or the character itself; other escapes are not read. */
function rangesOf(text: string): readonly CharacterRange[] | undefined {
  if (text === '\\d') return [DIGITS];
  if (text === '\\w') return WORD;
  if (/^\\[A-Za-z0-9]/.test(text)) return undefined;
  const code = text.charCodeAt(text.length - 1);
  return [[code, code]];
}

function classRanges(inside: string): readonly CharacterRange[] | undefined {
  if (inside.startsWith('^')) return undefined;
  const ranges: CharacterRange[] = [];
  for (const [item, from, to] of inside.matchAll(/(\\.|[^\\])-(\\.|[^\\])|\\.|[^\\]/gs)) {
    const [low, high] = [rangesOf(from ?? item), rangesOf(to ?? item)];
    if (low === undefined || high === undefined) return undefined;
    const [[first] = [0], [, last] = [0, 0]] = [low[0], high.at(-1)];
    ranges.push(...(from === undefined ? low : ([[first, last]] as const)));
  }
  return ranges;
}
