import type { Guarantees } from '../guarantees.js';
import type { Id, IdGenerator } from '../id-generator.js';
import type { StandardSchemaV1 } from '../id-strategy.js';
import type { BrandedId } from '../typed.js';
import { formatValue } from '../wording.js';
import { type IdJsonSchema, ownIds, ownJson, textJson } from './own-ids.js';

/** Encodes ids and decodes them: a codec of `@ids/encode`, what `encodeIds` returns, or one of your own. */
export interface IdCodec<T extends Id = Id> {
  /** Of the encoded ids. Without them, as of a codec for web pages, the JSON schema has no pattern. */
  readonly guarantees?: Guarantees;
  encode(id: T): string;
  /** Throws for every string that `encode` does not return. */
  decode(text: string): T;
}

/** What issues ids or will: a generator, a keyed one, a plan of `createIds`. */
export type IdSource = { readonly guarantees: Guarantees } & (
  | { next(...of: never[]): Promise<Id> }
  | { create(): Promise<IdGenerator> }
);

/** The ids that callers of a source see. */
export type ShownId<Source> = Source extends { decode(text: string): unknown } ? string : StoredId<Source>;

/** The ids as they are before they are encoded. */
export type StoredId<Source> = Source extends { decode(text: string): infer T extends Id }
  ? T
  : Source extends { next(...of: never[]): Promise<infer T extends Id> }
    ? T
    : Source extends { create(): Promise<IdGenerator<infer T>> }
      ? T
      : never;

/**
 * A schema of ids: Standard Schema 1, with its extension for JSON Schema, so that validators, routers and
 * form libraries accept it as it is. `Input` is what is valid, and `T` what comes out.
 */
export interface IdSchema<T extends Id, Input = T> extends StandardSchemaV1<Input, T> {
  readonly '~standard': StandardSchemaV1<Input, T>['~standard'] & {
    readonly jsonSchema: {
      input(options?: unknown): Record<string, unknown>;
      output(options?: unknown): Record<string, unknown>;
    };
  };
  /** The name of the type, as `OrderId`. */
  readonly name: string;
  /** What is valid, for JSON Schema and OpenAPI. It has the form that is issued. */
  readonly jsonSchema: IdJsonSchema;
  /** Returns the id. Throws a `TypeError` that says what is wrong, and quotes no more than `value`. */
  parse(value: unknown): T;
  /** Whether `value` is such an id already, as `parse` returns it. Never throws. */
  is(value: unknown): value is T;
  /** The id for JSON, as `parse` reads it. Throws like `parse` for anything else. */
  serialize(id: unknown): string | number;
}

/**
 * The schema of the ids that callers see: of a codec or of a generator of `encodeIds` their text, and of
 * other generators the id itself. A bigint is also read from its digits, since JSON has no bigints. `name`
 * becomes the brand of the type, so that an `OrderId` is no `UserId`.
 *
 * Reads everything from the guarantees and the codec: type, length, pattern, prefix, check digit, and numbers
 * up to 2^53 - 1 or, for bigints and digits, 2^63 - 1.
 */
export function idSchema<const Name extends string, const Source extends IdSource | IdCodec>(
  name: Name,
  source: Source,
): IdSchema<
  BrandedId<Name, ShownId<Source>>,
  ShownId<Source> extends bigint ? bigint | string : ShownId<Source>
> {
  return schemaOf(name, isCodec(source) ? shownText(name, source) : shownIds(name, source)) as never;
}

/**
 * The schema of a text, as of a path or a query, that comes out as the id to look up: what was encoded, or of
 * a generator without a codec the number of these digits. Pass what `encodeIds` returned, not what `typed`
 * made of it, which hides the codec from the type checker.
 */
export function storedIdSchema<const Name extends string, const Source extends IdSource | IdCodec>(
  name: Name,
  source: Source,
): IdSchema<BrandedId<Name, StoredId<Source>>, string> {
  return schemaOf(name, isCodec(source) ? decodedIds(name, source) : idsOfText(name, source)) as never;
}

/** What a schema does with one kind of ids. */
interface Reading {
  /** Throws an error that says what is wrong. */
  read(value: unknown): Id;
  /** The opposite. Throws for what `read` does not return. */
  write(id: unknown): string | number;
  readonly input: IdJsonSchema;
  readonly output?: IdJsonSchema;
}

function isCodec(source: object): source is IdCodec {
  return typeof (source as Partial<IdCodec>).decode === 'function';
}

function shownText(name: string, codec: IdCodec): Reading {
  // What people may write in another way, as Crockford's digits, is written as it was issued.
  const read = (value: unknown) => codec.encode(codec.decode(value as string));
  return { read, write: (id) => exactly(read, id) as string, input: codecJson(name, codec) };
}

function shownIds(name: string, { guarantees }: { readonly guarantees: Guarantees }): Reading {
  const { isOwn, ofText, rule } = ownIds(guarantees);
  const read = (value: unknown): Id => {
    if (isOwn(value)) return value;
    if (guarantees.idType === 'bigint' && typeof value === 'string') return ofText(value);
    throw new TypeError(`must be ${rule}, got ${formatValue(value)}`);
  };
  const write = (id: unknown) => {
    const own = exactly(read, id);
    return typeof own === 'bigint' ? String(own) : own;
  };
  return { read, write, input: ownJson(name, guarantees) };
}

function decodedIds(name: string, codec: IdCodec): Reading {
  return {
    read: (value) => codec.decode(value as string),
    write: (id) => codec.encode(id as Id),
    input: codecJson(name, codec),
    // The guarantees of what is encoded are not known.
    output: { title: name },
  };
}

function idsOfText(name: string, { guarantees }: { readonly guarantees: Guarantees }): Reading {
  const { isOwn, ofText, rule } = ownIds(guarantees);
  return {
    read: ofText,
    write: (id) => {
      if (isOwn(id)) return String(id);
      throw new TypeError(`must be ${rule}, got ${formatValue(id)}`);
    },
    input: textJson(name, guarantees.text),
    output: ownJson(name, guarantees),
  };
}

function codecJson(title: string, { guarantees }: IdCodec): IdJsonSchema {
  return guarantees === undefined ? { title, type: 'string' } : textJson(title, guarantees.text);
}

function exactly(read: (value: unknown) => Id, id: unknown): Id {
  const own = read(id);
  if (own === id) return own;
  throw new TypeError(`must be ${formatValue(own)}, got ${formatValue(id)}`);
}

function schemaOf(name: string, { read, write, input, output = input }: Reading): IdSchema<Id, unknown> {
  if (!/^[A-Za-z_]\w*$/.test(name)) {
    throw new TypeError(`the name of an id must be one of a type, such as OrderId, got ${formatValue(name)}`);
  }
  const attempt = <Result>(step: (value: unknown) => Result, value: unknown): Result => {
    try {
      return step(value);
    } catch (error) {
      throw new TypeError(`${name}: ${(error as Error).message}`, { cause: error });
    }
  };
  const parse = (value: unknown) => attempt(read, value);
  return {
    name,
    jsonSchema: input,
    parse,
    serialize: (id) => attempt(write, id),
    is(value): value is Id {
      try {
        write(value);
        return true;
      } catch {
        return false;
      }
    },
    '~standard': {
      version: 1,
      vendor: '@ids/core',
      validate(value) {
        try {
          return { value: parse(value) };
        } catch (error) {
          return { issues: [{ message: (error as Error).message }] };
        }
      },
      jsonSchema: { input: () => ({ ...input }), output: () => ({ ...output }) },
    },
  };
}
