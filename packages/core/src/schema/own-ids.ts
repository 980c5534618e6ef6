import { type Guarantees, isDecimal, isUuid } from '../guarantees.js';
import type { Id } from '../id-generator.js';
import { ownText } from '../own-text.js';
import { formatValue } from '../wording.js';

/** A fragment of JSON Schema 2020-12, of which OpenAPI 3.0 and 3.1 understand every keyword. */
export interface IdJsonSchema {
  readonly title: string;
  readonly type?: 'string' | 'integer';
  readonly format?: 'uuid';
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Ids as they are, not encoded, read by what their guarantees say of them. */
export interface OwnIds {
  isOwn(value: unknown): value is Id;
  /** The id with this text. Throws a `SyntaxError` for any other, a `TypeError` for what is no string. */
  ofText(text: unknown): Id;
  /** What ids are, for people: `a whole number from 1 to 9007199254740991`. */
  readonly rule: string;
}

/** The greatest number that fits into a `bigint` column, 2^63 - 1. */
const LAST_OF_COLUMNS = 2n ** 63n - 1n;

export function ownIds({ idType, text }: Guarantees): OwnIds {
  const matches = ownText(text);
  const toId = { string: String, number: Number, bigint: BigInt }[idType];
  const last = lastNumber({ idType, text });
  const isOwn = (value: unknown): value is Id =>
    typeof value === idType &&
    (idType !== 'number' || (Number.isSafeInteger(value) && !Object.is(value, -0))) &&
    matches(String(value)) &&
    (last === undefined || BigInt(value as Id) <= last);
  const rule =
    idType === 'string' && last === undefined
      ? `a string that matches ${text.pattern.source}`
      : `${idType === 'string' ? 'the digits of ' : ''}a whole number from ${firstNumber(text)} to ${last}`;
  return {
    isOwn,
    rule,
    ofText(value) {
      if (typeof value !== 'string') throw new TypeError(`must be a string, got ${formatValue(value)}`);
      const id = matches(value) ? toId(value) : undefined;
      // Each number has one text: 007 is none, nor is a text that is rounded.
      if (id !== undefined && isOwn(id) && String(id) === value) return id;
      throw new SyntaxError(`must be the text of ${rule}, got ${formatValue(value)}`);
    },
  };
}

/** The greatest id that is a number, or digits of one; undefined for other strings. */
function lastNumber({ idType, text }: Pick<Guarantees, 'idType' | 'text'>): bigint | undefined {
  if (idType === 'string' && !isDecimal(text)) return undefined;
  const ofLength = 10n ** BigInt(text.maxLength) - 1n;
  const ofType = idType === 'number' ? BigInt(Number.MAX_SAFE_INTEGER) : LAST_OF_COLUMNS;
  // Digits that no such column holds belong to a strategy of its own kind.
  const wider = idType !== 'number' && text.maxLength > String(LAST_OF_COLUMNS).length;
  return wider || ofLength < ofType ? ofLength : ofType;
}

function firstNumber(text: Guarantees['text']): 0 | 1 {
  return ownText(text)('0') ? 0 : 1;
}

/** Ids as JSON has them: bigints are strings. */
export function ownJson(title: string, { idType, text }: Guarantees): IdJsonSchema {
  if (idType !== 'number') return textJson(title, text);
  const maximum = Number(lastNumber({ idType, text }));
  return { title, type: 'integer', minimum: firstNumber(text), maximum };
}

/** The text of ids, as they are issued. */
export function textJson(title: string, text: Guarantees['text']): IdJsonSchema {
  const { pattern, minLength, maxLength } = text;
  const { source, flags } = pattern;
  const inside = source.replace(/^\^|\$$/g, '');
  return {
    title,
    type: 'string',
    ...(isUuid(text) && { format: 'uuid' as const }),
    // JSON Schema has no flags.
    ...(!/[is]/.test(flags) && { pattern: inside.includes('|') ? `^(?:${inside})$` : `^${inside}$` }),
    ...(minLength !== undefined && { minLength }),
    maxLength,
  };
}
