import type { Id } from '../id-generator.js';
import { formatValue } from '../wording.js';
import type { IdSchema } from './id-schema.js';

/** The config of a scalar, for `new GraphQLScalarType(config)` of the package `graphql`. */
export interface IdScalarConfig<T extends Id> {
  readonly name: string;
  readonly description: string;
  serialize(id: unknown): string | number;
  parseValue(value: unknown): T;
  parseLiteral(literal: { readonly kind: string }): T;
}

/**
 * A scalar for the ids of a schema, which has its name. Like the scalar `ID`, it reads numbers and strings in
 * a query as what they are; unlike it, it rejects what is no such id. Ids that JSON cannot have, bigints, are
 * strings in answers.
 */
export function idScalar<T extends Id>(schema: IdSchema<T, unknown>): IdScalarConfig<T> {
  return {
    name: schema.name,
    description: `Ids: ${JSON.stringify(schema.jsonSchema)}`,
    serialize: schema.serialize,
    parseValue: schema.parse,
    parseLiteral(literal) {
      const { kind, value } = literal as { readonly kind: string; readonly value?: unknown };
      if (kind === 'StringValue') return schema.parse(value);
      if (kind === 'IntValue') return schema.parse(Number(value));
      throw new TypeError(`${schema.name}: must be a string or a whole number, got ${formatValue(kind)}`);
    },
  };
}
