import type { IdStrategy } from '@ids/core';
import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { LOG_LEVELS } from './event-log.js';
import { generatorEntries } from './ids-config.js';
import { seriesSchema } from './series/series-config.js';

/** A JSON Schema, draft 7, for editors. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema of `ids.config.json` for an application with these strategies: names of strategies and
 * options, and accepted values as far as a schema can express them. The rest is checked when the config is
 * opened.
 */
export function configJsonSchema(strategies: readonly IdStrategy[]): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'ids.config',
    type: 'object',
    additionalProperties: false,
    anyOf: [
      { required: ['generators'], properties: { generators: { type: 'object', minProperties: 1 } } },
      { required: ['series'], properties: { series: { type: 'object', minProperties: 1 } } },
    ],
    properties: {
      $schema: { type: 'string' },
      redis: { type: 'string', description: 'redis:// URL for all generators; better in IDS_REDIS_URL' },
      database: {
        type: 'string',
        description:
          'postgres://, mysql://, libsql:// or sqlite: URL for all generators; better in IDS_DATABASE_URL',
      },
      logLevel: { enum: [...LOG_LEVELS], description: 'which events of generators are logged' },
      generators: {
        type: 'object',
        additionalProperties: { oneOf: strategies.map(generatorSchema) },
      },
      series: {
        type: 'object',
        description: 'series of numbers without gaps, for @ids/gapless',
        additionalProperties: seriesJsonSchema(),
      },
    },
  };
}

function generatorSchema(strategy: IdStrategy): JsonSchema {
  const { require, encode, column } = generatorEntries;
  const own = optionSchemas(strategy);
  return {
    type: 'object',
    title: strategy.name,
    additionalProperties: false,
    required: ['strategy'],
    properties: {
      strategy: { const: strategy.name },
      require: jsonSchemaOf(require),
      encode: jsonSchemaOf(encode),
      column: jsonSchemaOf(column),
      ...Object.fromEntries(strategy.optionNames.map((name) => [name, own[name] ?? {}])),
    },
  };
}

/** A pool cannot be written in JSON. */
function seriesJsonSchema(): JsonSchema {
  const { properties, ...rest } = jsonSchemaOf(seriesSchema);
  return { ...rest, properties: { ...(properties as object), database: { type: 'string' } } };
}

/** Only valibot schemas can be converted; for others, only the names of the options are known. */
function optionSchemas({ options }: IdStrategy): Readonly<Record<string, JsonSchema>> {
  if (options['~standard'].vendor !== 'valibot') return {};
  const { properties } = jsonSchemaOf(options as unknown as v.GenericSchema);
  return (properties ?? {}) as Readonly<Record<string, JsonSchema>>;
}

/** Checks written as code are left out. */
function jsonSchemaOf(schema: v.GenericSchema): JsonSchema {
  const { $schema: _draft, ...rest } = toJsonSchema(schema, {
    typeMode: 'input',
    errorMode: 'ignore',
    target: 'draft-07',
  });
  return rest;
}
