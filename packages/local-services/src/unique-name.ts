import { randomBytes } from 'node:crypto';

/**
 * `prefix`, an underscore and 12 random hexadecimal digits: a name for a schema, a database or a key prefix
 * that no other test uses. `prefix` is 1 to 40 characters, a lower-case letter and then lower-case letters,
 * digits or underscores, so that the name needs no quotes in SQL and fits into 63 bytes.
 */
export function uniqueName(prefix: string): string {
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(prefix)) {
    throw new RangeError(
      `prefix ${JSON.stringify(prefix)}: a lower-case letter, then up to 39 of a-z, 0-9 and _ are accepted`,
    );
  }
  return `${prefix}_${randomBytes(6).toString('hex')}`;
}
