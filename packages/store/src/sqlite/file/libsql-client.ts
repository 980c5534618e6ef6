import { existsSync } from 'node:fs';
import { IdError } from '@ids/core';
import { whileBusy } from '../busy.js';
import { isBusy } from '../errors.js';
import type { SqliteExecutor } from '../executor.js';
import { assertLibsqlClient, type LibsqlClientLike, rowsOf } from '../libsql.js';
import { assertDurableSettings } from './durability.js';
import { assertInPlace, fileAt, type OpenFile } from './identity.js';
import { letOthersRun } from './turn.js';

/** A client of `@libsql/client` with a `file:` URL. */
export interface LibsqlFileClientLike extends LibsqlClientLike {
  /** Closes all its connections and opens new ones. */
  reconnect(): unknown;
}

/** What decides whether a commit lasts, of the connection that a batch got from the pool of the client. */
const CHECKS = ['PRAGMA database_list', 'PRAGMA journal_mode', 'PRAGMA synchronous'];

/**
 * Runs statements on a file by a client of `@libsql/client` with a `file:` URL. The caller closes it, and
 * uses it for nothing else, because it is reconnected after a lock. The client opens connections as it needs
 * them, and each is set to `synchronous = FULL`, so the file must be in WAL mode, which is set once, with
 * `PRAGMA journal_mode = WAL`. Rejects with `ERR_IDS_CONFIG` for an embedded replica, which is found by the
 * files beside it.
 */
export function fromLibsqlFile(client: LibsqlFileClientLike): SqliteExecutor {
  assertLibsqlClient('fromLibsqlFile', client);
  if (client.protocol !== 'file') {
    throw new TypeError(
      'fromLibsqlFile takes a client with a file: URL; for one of a server, use fromLibsql',
    );
  }
  let opened: OpenFile | undefined;
  /** The statement runs in the transaction of the checks, so on the connection that they are about. */
  const run = async (mode: 'write' | 'deferred', text?: string, values: readonly unknown[] = []) => {
    await letOthersRun();
    if (opened !== undefined) assertInPlace(opened);
    const statements = [
      ...CHECKS.map((sql) => ({ sql, args: [] })),
      ...(text === undefined ? [] : [{ sql: text, args: [...values] as never[] }]),
    ];
    const [list, journalMode, synchronous, result] = (
      await client.batch(statements, mode).catch(async (error: unknown) => {
        // A BEGIN that met a lock stays unfinished in the driver, and then no COMMIT of this connection
        // succeeds any more. So the next attempt gets a new one.
        if (isBusy(error)) await client.reconnect();
        throw error;
      })
    ).map(rowsOf);
    opened ??= openedBy(String(list?.find(({ name }) => name === 'main')?.file ?? ''));
    // Afterwards, because only now is it known which connection it was. What a statement did that is refused
    // here stays: its segment is reserved, and nobody uses it.
    assertDurableSettings(
      opened.path,
      String(journalMode?.[0]?.journal_mode),
      Number(synchronous?.[0]?.synchronous),
    );
    assertInPlace(opened);
    return { open: opened, rows: result ?? [] };
  };
  return {
    dialect: 'sqlite',
    execute: (text, values, signal) =>
      whileBusy(async () => {
        // The first statement of all must not be one that was written to the wrong file.
        if (opened === undefined) await run('deferred');
        const mode = /^\s*SELECT\b/i.test(text) ? 'deferred' : 'write';
        return { rows: (await run(mode, text, values)).rows, notices: [] };
      }, signal),
    home: (signal) =>
      whileBusy(async () => {
        const { open } = await run('deferred');
        return { id: open.file.id, warnings: open.warnings };
      }, signal),
    close: async () => {},
  };
}

function openedBy(path: string): OpenFile {
  const open = fileAt(path);
  if (!existsSync(`${path}-info`) && !existsSync(`${path}-client_wal_index`)) return open;
  throw new IdError(
    'ERR_IDS_CONFIG',
    `database ${path} is an embedded replica of libSQL, which reads what may be old; use fromLibsql with a client of its primary`,
  );
}
