import { abortable, formatValue } from '@ids/core/strategy';
import type { Row } from '../executor.js';
import { whileBusy } from './busy.js';
import type { SqliteExecutor, SqliteHome } from './executor.js';

/** A client of `@libsql/client`, for a server or for a file. */
export interface LibsqlClientLike {
  /** `file`, `http` or `ws`. */
  readonly protocol: string;
  batch(
    statements: { sql: string; args: never[] }[],
    mode: 'write' | 'deferred',
  ): Promise<readonly { readonly rows: readonly object[] }[]>;
}

export interface LibsqlOptions {
  /**
   * The URL of the client, which the client does not tell: `libsql://`, `https://`, `http://`, `wss://` or
   * `ws://`. Its host and path identify the database in its rows, so that a restore into a new database is
   * noticed. Default: none, and nothing is.
   */
  readonly url?: string | undefined;
}

/**
 * Changes nothing, but is a write. A replica sends a batch to the primary if there is a write in it; one that
 * only reads, it answers itself, whatever the mode of its transaction.
 */
const WRITE = { sql: 'DROP TABLE IF EXISTS "ids reads the primary"', args: [] };

/**
 * Runs statements on a server of libSQL, such as Turso. Each is a batch for writing, which is a transaction
 * of its own and reaches the primary. The caller closes the client.
 *
 * A statement whose answer was lost may have run. Then a segment is reserved that nobody uses. It is not run
 * again here, but the generator asks for another segment.
 */
export function fromLibsql(client: LibsqlClientLike, { url }: LibsqlOptions = {}): SqliteExecutor {
  assertLibsqlClient('fromLibsql', client);
  if (client.protocol === 'file') {
    throw new TypeError('fromLibsql takes a client of a server; for one of a file, use fromLibsqlFile');
  }
  const home = homeOf(url);
  return {
    dialect: 'sqlite',
    execute: (text, values, signal) =>
      whileBusy(async () => {
        const statement = { sql: text, args: [...values] as never[] };
        const statements = /^\s*SELECT\b/i.test(text) ? [WRITE, statement] : [statement];
        const results = await abortable(client.batch(statements, 'write'), signal);
        return { rows: rowsOf(results.at(-1)), notices: [] };
      }, signal),
    home: async () => home,
    close: async () => {},
  };
}

export function assertLibsqlClient(name: string, client: unknown): void {
  const { protocol, batch } = Object(client) as Record<string, unknown>;
  if (typeof protocol === 'string' && typeof batch === 'function') return;
  throw new TypeError(`${name} takes a client of @libsql/client, got ${formatValue(client)}`);
}

export function rowsOf(result: { readonly rows: readonly object[] } | undefined): readonly Row[] {
  return (result?.rows ?? []) as readonly Row[];
}

/** What a restore in place leaves unseen. */
const IN_PLACE =
  'a backup that is restored into the same database of libSQL is not noticed, and ids are issued again: raise each sequence with setFloor after one';

const URL_RULE = 'a libsql://, https://, http://, wss:// or ws:// URL';

function homeOf(url: string | undefined): SqliteHome {
  if (url === undefined) {
    return {
      id: 'libsql',
      warnings: [
        IN_PLACE,
        'the database of libSQL has no identity, so that a restore into a new database is not noticed either: give fromLibsql the url of the client',
      ],
    };
  }
  // Of a URL that is wrong, nothing is quoted: it may have a token.
  if (!/^(libsql|https?|wss?):\/\/[^/?#]/.test(url) || !URL.canParse(url)) {
    throw new TypeError(`option "url": must be ${URL_RULE}`);
  }
  // Not the scheme, of which the same database has several, and nothing secret.
  const { host, pathname } = new URL(url.replace(/^\w+:/, 'https:'));
  return {
    id: `libsql-${host}${pathname === '/' ? '' : pathname}`.replaceAll(',', '%2C').slice(0, 200),
    warnings: [IN_PLACE],
  };
}
