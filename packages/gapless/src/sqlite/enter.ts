import { assertDurableSettings, assertInPlace, fileAt, type OpenFile } from '@ids/store/sqlite/file';
import * as errors from '../errors.js';
import type { NumberRequest } from '../table/request.js';
import type { TransactionPort } from '../transaction/port.js';
import { lockStatement } from './statements.js';
import type { Work } from './work.js';

/** The files of handles that stay open; a transaction of a client is asked again. */
const files = new WeakMap<TransactionPort, OpenFile>();

/**
 * What comes before each piece of work: a transaction is open, the file is the one at its path, a power cut
 * takes no commit back, and from then on this transaction alone may write. `blockMs`: how long the driver may
 * wait for that, in which the process does nothing else. Resolves with what identifies the file; undefined
 * for a database of a server.
 */
export function* enter(
  port: TransactionPort,
  request: NumberRequest,
  blockMs: number,
): Work<string | undefined> {
  yield* proveOpen(port, request);
  if (port.sqlite?.remote === true) return undefined;
  const file = files.get(port) ?? (yield* openedFile());
  files.set(port, file);
  assertInPlace(file);
  assertDurableSettings(
    file.path,
    String(yield* pragma('journal_mode')),
    Number(yield* pragma('synchronous')),
  );
  yield* lock(request, blockMs);
  return file.file.id;
}

/** Outside a transaction, a second BEGIN succeeds. */
function* proveOpen({ sqlite }: TransactionPort, request: NumberRequest): Work<void> {
  if (sqlite?.isOpen !== undefined) {
    if (!sqlite.isOpen()) throw errors.noTransaction(request);
    return;
  }
  try {
    yield { text: 'BEGIN' };
  } catch (error) {
    if (/within a transaction/.test(`${error} ${Object(error).cause}`)) return;
    throw error;
  }
  yield { text: 'ROLLBACK' };
  throw errors.noTransaction(request);
}

function* openedFile(): Work<OpenFile> {
  const rows = yield { text: 'PRAGMA database_list', values: [] };
  return fileAt(String(rows.find(({ name }) => name === 'main')?.file ?? ''));
}

function* pragma(name: string): Work<unknown> {
  const [row = {}] = yield { text: `PRAGMA ${name}`, values: [] };
  return Object.values(row)[0];
}

/**
 * Takes the lock for writing by a statement that writes nothing: a driver may leave a statement unfinished
 * that met a lock, and what has come before it in the transaction is not known.
 */
function* lock(request: NumberRequest, blockMs: number): Work<void> {
  const timeout = Number(yield* pragma('busy_timeout'));
  const changes = timeout !== blockMs;
  if (changes) yield { text: `PRAGMA busy_timeout = ${blockMs}` };
  try {
    yield { text: lockStatement(request.table) };
  } finally {
    if (changes) yield { text: `PRAGMA busy_timeout = ${timeout}` };
  }
}
