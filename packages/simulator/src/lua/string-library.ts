import { matchPattern } from './patterns.js';
import {
  exponentOf,
  general,
  LuaError,
  type LuaFunction,
  type LuaValue,
  numberToString,
  toExponential,
  toFixed,
  toNumber,
  typeName,
} from './values.js';

export function text(value: LuaValue, where: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return numberToString(value);
  throw new LuaError(`bad argument to '${where}' (string expected, got ${typeName(value)})`);
}

export function number(value: LuaValue, where: string, otherwise?: number): number {
  const result = value === undefined ? otherwise : toNumber(value);
  if (result === undefined) {
    throw new LuaError(`bad argument to '${where}' (number expected, got ${typeName(value)})`);
  }
  return result;
}

export const stringLibrary: Readonly<Record<string, LuaFunction>> = {
  len: (s) => text(s, 'len').length,
  lower: (s) => text(s, 'lower').toLowerCase(),
  upper: (s) => text(s, 'upper').toUpperCase(),
  rep: (s, n) => text(s, 'rep').repeat(Math.max(0, number(n, 'rep'))),
  reverse: (s) => [...text(s, 'reverse')].reverse().join(''),
  byte: (s, i) => {
    const [string, at] = [text(s, 'byte'), number(i, 'byte', 1)];
    const code = string.charCodeAt(at < 0 ? string.length + at : at - 1);
    return Number.isNaN(code) ? [] : code;
  },
  char: (...codes) => String.fromCharCode(...codes.map((code) => number(code, 'char'))),
  sub: (s, i, j) => {
    const string = text(s, 'sub');
    const [from, to] = [number(i, 'sub', 1), number(j, 'sub', -1)];
    const start = from < 0 ? Math.max(0, string.length + from) : Math.max(0, from - 1);
    const end = to < 0 ? string.length + to + 1 : to;
    return start < end ? string.slice(start, end) : '';
  },
  find: (s, pattern, init, plain) => {
    const [string, wanted] = [text(s, 'find'), text(pattern, 'find')];
    const start = position(number(init, 'find', 1), string.length);
    if ((plain !== undefined && plain !== false) || !/[\^$*+?.([%-]/.test(wanted)) {
      const at = string.indexOf(wanted, start);
      return at < 0 ? [undefined] : [at + 1, at + wanted.length];
    }
    const found = matchPattern(string, wanted, start);
    return found === undefined ? [undefined] : [found.start + 1, found.end, ...found.captures];
  },
  match: (s, pattern, init) => {
    const string = text(s, 'match');
    const start = position(number(init, 'match', 1), string.length);
    const found = matchPattern(string, text(pattern, 'match'), start);
    if (found === undefined) return [undefined];
    return found.captures.length === 0 ? string.slice(found.start, found.end) : [...found.captures];
  },
  gmatch: (s, pattern) => {
    const [string, wanted] = [text(s, 'gmatch'), text(pattern, 'gmatch')];
    let at = 0;
    return () => {
      const found = at > string.length ? undefined : matchPattern(string, wanted, at);
      if (found === undefined) return [undefined];
      at = found.end > found.start ? found.end : found.end + 1;
      return found.captures.length === 0 ? string.slice(found.start, found.end) : [...found.captures];
    };
  },
  format: (template, ...values) => {
    let result = '';
    let next = 0;
    for (const part of parsedTemplate(text(template, 'format'))) {
      if (typeof part === 'string') result += part;
      else result += padded(converted(values[next++], part), part);
    }
    return result;
  },
};

function position(init: number, length: number): number {
  return init > 0 ? Math.min(init - 1, length) : init < 0 ? Math.max(0, length + init) : 0;
}

interface Conversion {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
  readonly conversion: string;
}

const templates = new Map<string, readonly (string | Conversion)[]>();

/** Literal strings and conversions, in order. */
function parsedTemplate(template: string): readonly (string | Conversion)[] {
  const known = templates.get(template);
  if (known !== undefined) return known;
  const parts: (string | Conversion)[] = [];
  let end = 0;
  for (const match of template.matchAll(/%([-+ #0]*)(\d*)(?:\.(\d*))?([a-zA-Z%])/g)) {
    const [all, flags = '', width = '', precision, conversion = ''] = match;
    parts.push(template.slice(end, match.index));
    end = match.index + all.length;
    if (conversion === '%') parts.push('%');
    else {
      const digits = precision === undefined ? undefined : Number(precision);
      parts.push({ flags, width: Number(width), precision: digits, conversion });
    }
  }
  parts.push(template.slice(end));
  templates.set(template, parts);
  return parts;
}

function converted(value: LuaValue, { conversion, precision, flags }: Conversion): string {
  if (conversion === 's') return text(value, 'format').slice(0, precision);
  const n = number(value, 'format');
  const signed = (digits: string) => (n >= 0 && flags.includes('+') ? `+${digits}` : digits);
  switch (conversion) {
    case 'd':
    case 'i':
    case 'u':
      return signed(String(Math.trunc(n)).padStart(precision ?? 0, '0'));
    case 'c':
      return String.fromCharCode(n);
    case 'x':
      return Math.trunc(n).toString(16);
    case 'X':
      return Math.trunc(n).toString(16).toUpperCase();
    case 'f':
      return signed(fixed(n, precision ?? 6));
    case 'e': {
      const [digits = '', exponent = '0'] = toExponential(n, precision ?? 6).split('e');
      return signed(digits + exponentOf(Number(exponent)));
    }
    case 'g':
      return signed(general(n, precision ?? 6));
    default:
      throw new LuaError(`invalid option '%${conversion}' to 'format'`);
  }
}

/** Integers are exact, even above 1e21. */
function fixed(value: number, precision: number): string {
  if (!Number.isFinite(value)) return general(value, 6);
  if (Number.isInteger(value)) {
    const exact = Number.isSafeInteger(value) ? String(value) : BigInt(value).toString();
    const digits = Object.is(value, -0) ? '-0' : exact;
    return precision === 0 ? digits : `${digits}.${'0'.repeat(precision)}`;
  }
  return toFixed(value, precision);
}

function padded(string: string, { flags, width }: Conversion): string {
  if (string.length >= width) return string;
  if (flags.includes('-')) return string.padEnd(width);
  if (!flags.includes('0')) return string.padStart(width);
  const sign = /^[+-]/.exec(string)?.[0] ?? '';
  return sign + string.slice(sign.length).padStart(width - sign.length, '0');
}
