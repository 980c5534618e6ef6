import { IdError } from '@ids/core';
import { formatValue } from '@ids/core/strategy';

/** A piece of a template: text as it stands, the year, or the number. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'year' }
  /** `width` is undefined for as many digits as needed. */
  | { readonly kind: 'number'; readonly width: number | undefined };

/** The digits of 2^53 - 1. */
const MOST_DIGITS = 16;

const RULE = `"format" must have the number once, {00000} for a fixed width of up to ${MOST_DIGITS} digits or {n} for as many as needed, may have the year {yyyy} once, and printable ASCII characters besides`;

/** The pieces of `INV-{yyyy}-{00000}`, in order. Throws `ERR_IDS_CONFIG` for what cannot be parsed back. */
export function piecesOf(template: string): Piece[] {
  if (typeof template !== 'string') throw templateError(`${RULE}, got ${formatValue(template)}`);
  const pieces = (template.match(/\{[^{}]*\}|[^{}]+|[{}]/g) ?? []).map((part) => pieceOf(part, template));
  const count = (kind: Piece['kind']) => pieces.filter((piece) => piece.kind === kind).length;
  if (count('number') !== 1 || count('year') > 1) {
    throw templateError(`${RULE}, got ${formatValue(template)}`);
  }
  return pieces;
}

function pieceOf(part: string, template: string): Piece {
  if (part === '{yyyy}') return { kind: 'year' };
  if (part === '{n}') return { kind: 'number', width: undefined };
  const zeros = /^\{(0+)\}$/.exec(part)?.[1]?.length;
  if (zeros !== undefined && zeros <= MOST_DIGITS) return { kind: 'number', width: zeros };
  if (part === '{yy}') {
    throw templateError(`"format": {yy} cannot be parsed back, since it leaves out the century: use {yyyy}`);
  }
  if (/[{}]/.test(part) || !/^[ -~]+$/.test(part)) {
    throw templateError(`${RULE}, got ${formatValue(part)} in ${formatValue(template)}`);
  }
  return { kind: 'text', text: part };
}

export function templateError(problem: string): IdError {
  return new IdError('ERR_IDS_CONFIG', `number format: ${problem}`);
}
