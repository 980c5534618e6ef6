import { snowflake } from '../../src/index.js';
import type { ParsedSnowflakeOptions } from '../../src/options.js';

interface Parsed {
  readonly value?: ParsedSnowflakeOptions;
  readonly issues?: readonly { readonly message: string }[] | undefined;
}

/** The options with their defaults, or what is wrong with them. */
export function parse(options: unknown): Parsed {
  const result = snowflake.options['~standard'].validate(options);
  if (result instanceof Promise) throw new TypeError('validated later');
  return result;
}
