import { IdError } from '@ids/core';

export const DATABASE_URL_RULE = 'a postgres:// or postgresql:// URL';

export function isDatabaseUrl(value: unknown): value is string {
  return typeof value === 'string' && /^postgres(ql)?:\/\//.test(value) && URL.canParse(value);
}

/**
 * What is wrong with a URL, without the parts that may hold a password: at most its
 * scheme and host are shown.
 */
export function describeBadUrl(value: string): string {
  const shown = URL.canParse(value)
    ? `one with "${new URL(value).protocol}//${new URL(value).host}"`
    : 'another text';
  return `must be ${DATABASE_URL_RULE}, got ${shown}`;
}

export function assertDatabaseUrl(value: string): void {
  if (isDatabaseUrl(value)) return;
  throw new IdError('ERR_IDS_CONFIG', `the database URL ${describeBadUrl(String(value))}`);
}
