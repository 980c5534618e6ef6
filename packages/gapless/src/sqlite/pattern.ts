import { IdError } from '@ids/core';
import { formatValue } from '@ids/core/strategy';
import type { NumberPattern } from '../table/documents.js';
import { textOf } from './work.js';

/** A part of a pattern: a text, or digits, whose number is not fixed if `width` is undefined. */
type Part = { readonly text: string } | { readonly width: number | undefined };

/** How a string is taken apart in SQL, which has no regular expressions here. */
export interface PatternSql {
  readonly matches: string;
  /** The number in a group. */
  group(nth: number): string;
}

const MOST_DIGITS = 16;

/**
 * The SQL for a pattern as `createNumberFormat` of `@ids/encode` makes it: texts and groups of digits, of
 * which one may have no fixed width. Throws `ERR_IDS_CONFIG` for any other one.
 */
export function patternSql(value: string, { pattern }: NumberPattern): PatternSql {
  const parts = partsOf(pattern);
  const widths = parts.map((part) => ('text' in part ? part.text.length : (part.width ?? 0)));
  const fixed = widths.reduce((sum, width) => sum + width, 0);
  const open = parts.findIndex((part) => 'width' in part && part.width === undefined);
  const rest = `(length(${value}) - ${fixed})`;
  const pieces = parts.map((part, index) => {
    const before = widths.slice(0, index).reduce((sum, width) => sum + width, 1);
    const from = open >= 0 && index > open ? `${before} + ${rest}` : String(before);
    return { part, sql: `substr(${value}, ${from}, ${index === open ? rest : widths[index]})` };
  });
  const conditions = pieces.map(({ part, sql }) => {
    if ('text' in part) return `${sql} = ${textOf(part.text)}`;
    const digits = `${sql} NOT GLOB '*[^0-9]*'`;
    return part.width === undefined ? `${digits} AND ${sql} NOT GLOB '0*'` : digits;
  });
  const length = open < 0 ? `${rest} = 0` : `${rest} BETWEEN 1 AND ${MOST_DIGITS}`;
  const groups = pieces.filter(({ part }) => 'width' in part);
  return {
    matches: `(${[length, ...conditions].join(' AND ')})`,
    group: (nth) => `CAST(${groups[nth - 1]?.sql} AS integer)`,
  };
}

function partsOf(pattern: RegExp): Part[] {
  const parts: Part[] = [];
  let left = pattern.source;
  const take = (piece: RegExp): RegExpExecArray | undefined => {
    const found = piece.exec(left) ?? undefined;
    left = left.slice(found?.[0].length ?? 0);
    return found;
  };
  if (pattern.flags !== '' || take(/^\^/) === undefined) throw unreadable(pattern);
  while (left !== '$') {
    const digits = take(/^\(\[0-9\]\{(\d{1,2})\}\)/);
    if (digits !== undefined) parts.push({ width: Number(digits[1]) });
    else if (take(/^\(\[1-9\]\[0-9\]\{0,15\}\)/) !== undefined) parts.push({ width: undefined });
    else {
      const text = take(/^\\([^A-Za-z0-9])/)?.[1] ?? take(/^[^\\^$.*+?()[\]{}|]/)?.[0];
      if (text === undefined) throw unreadable(pattern);
      parts.push({ text });
    }
  }
  if (parts.filter((part) => 'width' in part && part.width === undefined).length > 1)
    throw unreadable(pattern);
  return parts;
}

function unreadable(pattern: RegExp): IdError {
  return new IdError(
    'ERR_IDS_CONFIG',
    `option "format": must be one that createNumberFormat of @ids/encode returns, since SQLite has no regular expressions, got ${formatValue(String(pattern))}`,
  );
}
