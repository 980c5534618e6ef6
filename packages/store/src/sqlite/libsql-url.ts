import { IdError } from '@ids/core';
import { missingDriver } from '../missing-driver.js';
import type { SqliteExecutor } from './executor.js';
import { fromLibsql } from './libsql.js';

/** In a variable, so that bundlers leave it to those who use it. */
const CLIENT = '@libsql/client';

export const LIBSQL_URL_RULE = 'a libsql:// URL';

export function isLibsqlUrl(value: unknown): value is string {
  return typeof value === 'string' && /^libsql:\/\/[^/?#]/.test(value) && URL.canParse(value);
}

/**
 * Runs statements on the server of libSQL at a `libsql://` URL, such as a database of Turso, by
 * `@libsql/client`; `close` closes the client. The token is its parameter `authToken`. With `tls=0` and a
 * port, the connection is not encrypted. Rejects with `ERR_IDS_CONFIG` if the client is not installed, or
 * refuses the URL; no message repeats it. The same server under another host is another database.
 */
export async function fromLibsqlUrl(url: string): Promise<SqliteExecutor> {
  const { createClient } = await (import(CLIENT) as Promise<typeof import('@libsql/client')>).catch(
    (cause: unknown) => {
      throw missingDriver('a libsql:// URL', CLIENT, cause, 'a source over fromLibsql(client)');
    },
  );
  let client: ReturnType<typeof createClient>;
  try {
    client = createClient({ url });
  } catch (error) {
    // Its message quotes the URL, and that may have a token.
    const { code = 'unknown' } = Object(error) as { readonly code?: unknown };
    throw new IdError(
      'ERR_IDS_CONFIG',
      `the database URL must be ${LIBSQL_URL_RULE} that ${CLIENT} accepts, which says ${code}`,
    );
  }
  return { ...fromLibsql(client, { url }), close: async () => client.close() };
}
