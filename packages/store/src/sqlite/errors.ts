import { IdError, isIdError } from '@ids/core';
import { statementError } from '../statement-error.js';
import { missingTableHint, type TableWording } from '../table-shape.js';

/** Primary result codes, by number, as `node:sqlite` gives them. */
const NAMES: Readonly<Record<number, string>> = {
  1: 'ERROR',
  5: 'BUSY',
  6: 'LOCKED',
  8: 'READONLY',
  10: 'IOERR',
  11: 'CORRUPT',
  13: 'FULL',
  14: 'CANTOPEN',
  19: 'CONSTRAINT',
  26: 'NOTADB',
};

/** Primary result codes for which a retry does not help. */
const CONFIG_HINTS: Readonly<Record<string, string>> = {
  READONLY: 'the file, its folder or the connection is read-only',
  CANTOPEN: 'the folder must exist, and this process must be allowed to write there',
  CORRUPT: 'the file is damaged; restore it from a backup',
  NOTADB: 'the file is not a database of SQLite',
};

/**
 * How drivers say that they could not open a file, where they give no code: `better-sqlite3` of a folder that
 * is missing, and `libsql` of everything.
 */
const NOT_OPENED = /^Cannot open database because|^ConnectionFailed\(.*: 14"\)$/;

/**
 * The primary result code without its prefix: `BUSY`. Drivers give the name of an extended code, its number,
 * or name it in the message.
 */
function codeOf(error: unknown): string {
  const { code, errcode, rawCode, message } = Object(error) as Record<string, unknown>;
  // `libsql` has the number too, and no name for some of them.
  const number = errcode ?? rawCode;
  if (typeof number === 'number') return NAMES[number % 256] ?? '';
  if (NOT_OPENED.test(String(message))) return 'CANTOPEN';
  const text = typeof code === 'string' && code.startsWith('SQLITE_') ? code : String(message);
  return /SQLITE_([A-Z]+)/.exec(text)?.[1] ?? '';
}

/** True if another connection held a lock, so that the same statement can succeed later. */
export function isBusy(error: unknown): boolean {
  return ['BUSY', 'LOCKED'].includes(codeOf(error));
}

/**
 * True if a transaction that has read something cannot write any more, because another one has written since.
 * Only a new transaction can.
 */
export function isStaleSnapshot(error: unknown): boolean {
  const { code, extendedCode, errcode, rawCode } = Object(error) as Record<string, unknown>;
  return [code, extendedCode].includes('SQLITE_BUSY_SNAPSHOT') || [errcode, rawCode].includes(517);
}

/** True if the file, its folder, the connection or the transaction may not write. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === 'READONLY';
}

/** True if there is no such table. */
export function isMissingTable(error: unknown): boolean {
  return /no such table/i.test(messageOf(error));
}

/** The error for a failed statement against `table`. */
export function sqliteError(error: unknown, table: string, wording: TableWording): IdError {
  const { what, create } = wording;
  if (isIdError(error)) return error;
  const because = messageOf(error);
  if (isBusy(error)) {
    const message = `${what} ${table}: the database was locked for too long, and nothing was changed`;
    return new IdError('ERR_IDS_TIMEOUT', message, { cause: error });
  }
  const run = create.split(' ')[0];
  const hint = isMissingTable(error)
    ? missingTableHint(wording)
    : /no such column|has no column/i.test(because)
      ? `the table is not one that ${run} creates`
      : CONFIG_HINTS[codeOf(error)];
  return statementError(error, `${what} ${table}`, because, hint);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
