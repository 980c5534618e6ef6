import { LuaError, type LuaValue } from './values.js';

interface Capture {
  start: number;
  /** -1 while open, -2 for a position capture. */
  length: number;
}

export interface PatternMatch {
  readonly start: number;
  /** The index after the match. */
  readonly end: number;
  readonly captures: readonly LuaValue[];
}

/** The first match of a Lua pattern at or after `init`, an index from 0. */
export function matchPattern(text: string, pattern: string, init: number): PatternMatch | undefined {
  const anchored = pattern[0] === '^';
  const matcher = new Matcher(text, pattern);
  for (let start = init; start <= text.length; start++) {
    const end = matcher.match(start, anchored ? 1 : 0);
    if (end !== undefined) return { start, end, captures: matcher.captures };
    if (anchored) return undefined;
  }
  return undefined;
}

/** The backtracking matcher, as in Lua's own library, which defines the patterns. */
class Matcher {
  readonly #text: string;
  readonly #pattern: string;
  #open: Capture[] = [];

  constructor(text: string, pattern: string) {
    this.#text = text;
    this.#pattern = pattern;
  }

  get captures(): LuaValue[] {
    return this.#open.map(({ start, length }) => {
      if (length === -1) throw new LuaError('unfinished capture');
      return length === -2 ? start + 1 : this.#text.slice(start, start + length);
    });
  }

  /** The end of a match that begins at `s`, with the pattern from `p` on. */
  match(s: number, p: number): number | undefined {
    const pattern = this.#pattern;
    if (p === pattern.length) return s;
    switch (pattern[p]) {
      case '(':
        return this.#withCapture({ start: s, length: pattern[p + 1] === ')' ? -2 : -1 }, s, p);
      case ')':
        return this.#close(s, p + 1);
      case '$':
        if (p + 1 === pattern.length) return s === this.#text.length ? s : undefined;
        break;
      case '%':
        if (pattern[p + 1] === 'b') return this.#balanced(s, p + 2);
        if (pattern[p + 1] === 'f') throw new LuaError('pattern %f is not supported');
        if (/\d/.test(pattern[p + 1] ?? '')) return this.#back(s, p);
    }
    const end = this.#classEnd(p);
    const one = s < this.#text.length && this.#single(s, p, end);
    switch (pattern[end]) {
      case '?': {
        const taken = one ? this.match(s + 1, end + 1) : undefined;
        return taken ?? this.match(s, end + 1);
      }
      case '+':
        return one ? this.#most(s + 1, p, end) : undefined;
      case '*':
        return this.#most(s, p, end);
      case '-':
        for (let at = s; ; at++) {
          const rest = this.match(at, end + 1);
          if (rest !== undefined) return rest;
          if (at >= this.#text.length || !this.#single(at, p, end)) return undefined;
        }
      default:
        return one ? this.match(s + 1, end) : undefined;
    }
  }

  #withCapture(capture: Capture, s: number, p: number): number | undefined {
    this.#open.push(capture);
    const end = this.match(s, capture.length === -2 ? p + 2 : p + 1);
    if (end === undefined) this.#open.pop();
    return end;
  }

  #close(s: number, p: number): number | undefined {
    const capture = this.#open.findLast(({ length }) => length === -1);
    if (capture === undefined) throw new LuaError('invalid pattern capture');
    capture.length = s - capture.start;
    const end = this.match(s, p);
    if (end === undefined) capture.length = -1;
    return end;
  }

  #back(s: number, p: number): number | undefined {
    const text = this.captures[Number(this.#pattern[p + 1]) - 1];
    if (typeof text !== 'string') throw new LuaError('invalid capture index');
    return this.#text.startsWith(text, s) ? this.match(s + text.length, p + 2) : undefined;
  }

  #balanced(s: number, p: number): number | undefined {
    const [open, close] = [this.#pattern[p], this.#pattern[p + 1]];
    if (this.#text[s] !== open) return undefined;
    for (let at = s + 1, depth = 1; at < this.#text.length; at++) {
      if (this.#text[at] === close) depth--;
      else if (this.#text[at] === open) depth++;
      if (depth === 0) return this.match(at + 1, p + 2);
    }
    return undefined;
  }

  #most(s: number, p: number, end: number): number | undefined {
    let at = s;
    while (at < this.#text.length && this.#single(at, p, end)) at++;
    for (; at >= s; at--) {
      const rest = this.match(at, end + 1);
      if (rest !== undefined) return rest;
    }
    return undefined;
  }

  #classEnd(p: number): number {
    const pattern = this.#pattern;
    if (pattern[p] === '%') {
      if (p + 1 >= pattern.length) throw new LuaError("malformed pattern (ends with '%')");
      return p + 2;
    }
    if (pattern[p] !== '[') return p + 1;
    let at = p + 1;
    if (pattern[at] === '^') at++;
    do {
      if (at >= pattern.length) throw new LuaError("malformed pattern (missing ']')");
      if (pattern[at++] === '%') at++;
    } while (pattern[at] !== ']');
    return at + 1;
  }

  #single(s: number, p: number, end: number): boolean {
    const character = this.#text[s] ?? '';
    switch (this.#pattern[p]) {
      case '.':
        return true;
      case '%':
        return inClass(character, this.#pattern[p + 1] ?? '');
      case '[':
        return this.#inSet(character, p, end - 1);
      default:
        return this.#pattern[p] === character;
    }
  }

  #inSet(character: string, p: number, last: number): boolean {
    const pattern = this.#pattern;
    const negated = pattern[p + 1] === '^';
    for (let at = negated ? p + 2 : p + 1; at < last; at++) {
      if (pattern[at] === '%') {
        if (inClass(character, pattern[++at] ?? '')) return !negated;
      } else if (pattern[at + 1] === '-' && at + 2 < last) {
        if ((pattern[at] ?? '') <= character && character <= (pattern[at + 2] ?? '')) return !negated;
        at += 2;
      } else if (pattern[at] === character) return !negated;
    }
    return negated;
  }
}

/** For each class, which of the 256 characters it contains. */
const CLASSES = new Map<string, readonly boolean[]>(
  Object.entries({
    a: /[A-Za-z]/,
    c: /\p{Cc}/u,
    d: /\d/,
    l: /[a-z]/,
    p: /[!-/:-@[-`{-~]/,
    s: /[\t-\r ]/,
    u: /[A-Z]/,
    w: /[0-9A-Za-z]/,
    x: /[0-9A-Fa-f]/,
  }).map(([name, characters]) => [
    name,
    Array.from({ length: 256 }, (_, code) => code < 128 && characters.test(String.fromCharCode(code))),
  ]),
);

function inClass(character: string, name: string): boolean {
  const characters = CLASSES.get(name);
  if (characters !== undefined) return characters[character.charCodeAt(0)] ?? false;
  const others = CLASSES.get(name.toLowerCase());
  return others === undefined ? character === name : !others[character.charCodeAt(0)];
}
