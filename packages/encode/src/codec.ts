import type { Guarantees, Id } from '@ids/core';
import { defineGuarantees, formatValue } from '@ids/core/strategy';
import { type Body, plainBody } from './body.js';
import { digitBody } from './digit-body.js';
import { assertEncodeOptions, type EncodeOptions } from './options.js';
import { hiddenUuidBody, uuidBody } from './uuid-body.js';

/** Encodes ids as strings and decodes them. */
export interface Codec<T extends Id = Id> {
  /** The guarantees of the encoded ids. */
  readonly guarantees: Guarantees;
  /**
   * Throws `ERR_IDS_EXHAUSTED` if `id` needs more digits than `width`, and a `TypeError` or `RangeError` if
   * it is not an id of the strategy: `decode` returns exactly what was encoded.
   */
  encode(id: T): string;
  /**
   * The id that `encode` turned into `text`. Throws a `SyntaxError` for any other string, and a `TypeError`
   * if `text` is not a string.
   */
  decode(text: string): T;
}

/**
 * Creates a codec for ids with these guarantees. Throws `ERR_IDS_CONFIG` if an option is invalid or cannot be
 * applied to such ids: those that are not numbers, such as gpids, accept only a `prefix`; UUIDs also accept a
 * `form`, and those of version 7 `obfuscate`.
 */
export function createCodec<T extends Id = Id>(guarantees: Guarantees, options: EncodeOptions): Codec<T> {
  return checkedCodec<T>(guarantees, options).codec;
}

/**
 * The codec, and `write`, which encodes ids that the strategy has just issued. It checks their type only: of
 * bytes, many would have the same text.
 */
export function checkedCodec<T extends Id>(
  guarantees: Guarantees,
  options: EncodeOptions,
): { readonly codec: Codec<T>; write(id: Id): string } {
  assertEncodeOptions(options);
  const prefix = textBefore(options);
  const body = bodyOf(guarantees, options);
  const write = (id: Id) => {
    if (typeof id === guarantees.idType) return prefix + body.encode(id);
    throw new TypeError(`only ids of the type ${guarantees.idType} can be encoded, got ${formatValue(id)}`);
  };
  const codec: Codec<T> = {
    guarantees: encodedGuarantees(guarantees, options, prefix, body),
    encode: (id) => {
      body.assertId(id);
      return write(id);
    },
    decode: (text) => {
      if (typeof text !== 'string') throw new TypeError(`decode: must be a string, got ${formatValue(text)}`);
      if (!text.startsWith(prefix)) {
        throw new SyntaxError(`${formatValue(text)} does not begin with ${formatValue(prefix)}`);
      }
      return body.decode(text.slice(prefix.length)) as T;
    },
  };
  return { codec, write };
}

function bodyOf(guarantees: Guarantees, options: EncodeOptions): Body {
  const { as, form, obfuscate } = options;
  if (form !== undefined) return uuidBody(guarantees, form, options);
  if (as !== undefined) return digitBody(guarantees, { ...options, as });
  return obfuscate ? hiddenUuidBody(guarantees, options) : plainBody(guarantees);
}

/** A TypeID has an underscore after its prefix, but not without a prefix. */
function textBefore({ form, prefix = '' }: EncodeOptions): string {
  return form === 'typeid' && prefix !== '' ? `${prefix}_` : prefix;
}

/** The guarantees of a strategy after its ids are encoded. */
function encodedGuarantees(
  guarantees: Guarantees,
  { obfuscate = false }: EncodeOptions,
  prefix: string,
  body: Body,
): Guarantees {
  return defineGuarantees({
    ...guarantees,
    // Obfuscated ids have no order, and disclose nothing that the strategy put into them.
    order: obfuscate ? { process: 'none', cluster: 'none' } : guarantees.order,
    discloses: obfuscate ? [] : guarantees.discloses,
    idType: 'string',
    text: encodedText(prefix, body),
  });
}

function encodedText(prefix: string, body: Body): Guarantees['text'] {
  const { pattern, alphabet, minLength, maxLength, sortable, caseSensitive } = body;
  const common = prefix + (body.prefix ?? '');
  return {
    pattern: new RegExp(`^${escaped(prefix)}(?:${pattern})$`),
    ...(common !== '' && { prefix: common }),
    ...(alphabet !== undefined && { alphabet }),
    ...(minLength !== undefined && { minLength: prefix.length + minLength }),
    maxLength: prefix.length + maxLength,
    sortable,
    caseSensitive,
  };
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
