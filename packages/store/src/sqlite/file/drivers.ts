import { createRequire } from 'node:module';
import { IdError } from '@ids/core';
import { isMissing } from '../../missing-driver.js';
import { textOfError } from '../../statement-error.js';
import { connectionOver, type SqliteConnection, type SqliteDatabaseLike } from './connection.js';

type Open = new (path: string) => SqliteDatabaseLike;

/** The drivers, in the order in which they are tried. */
const DRIVERS: readonly (readonly [name: string, exported: string])[] = [
  ['better-sqlite3', 'default'],
  ['libsql', 'default'],
  ['node:sqlite', 'DatabaseSync'],
];

/** Opens a file with the driver that is installed, and creates it if there is none. */
export async function openSqlite(path: string): Promise<SqliteConnection> {
  return connectionOver(await openDriver(path));
}

/** The same, as the database of the driver. */
export async function openDriver(path: string): Promise<SqliteDatabaseLike> {
  const Driver = await findDriver();
  return new Driver(path);
}

/** Rejects with `ERR_IDS_CONFIG` if there is no driver for a `sqlite:` URL. */
export async function assertSqliteDriver(): Promise<void> {
  await findDriver();
}

async function findDriver(): Promise<Open> {
  for (const [name, exported] of DRIVERS) {
    const Driver = await load(name, exported);
    if (Driver !== undefined) return Driver;
  }
  throw new IdError(
    'ERR_IDS_CONFIG',
    'a sqlite: URL needs a driver: run "npm install better-sqlite3", or "npm install libsql", or use Node.js 22.13 or later',
  );
}

/** Undefined if it is not there; rejects with `ERR_IDS_CONFIG` if it is, but does not work. */
async function load(name: string, exported: string): Promise<Open | undefined> {
  if (needsNewerNode(name)) return undefined;
  try {
    const Driver = ((await import(name)) as Record<string, Open>)[exported] as Open;
    // `better-sqlite3` loads its binary with the first database.
    new Driver(':memory:').close();
    return Driver;
  } catch (cause) {
    const { code } = Object(cause) as { readonly code?: unknown };
    if (isMissing(name, cause) || code === 'ERR_UNKNOWN_BUILTIN_MODULE') return undefined;
    const [why] = textOfError(cause).split('\n', 1);
    throw new IdError(
      'ERR_IDS_CONFIG',
      `a sqlite: URL uses the driver ${name}, which is installed and cannot be loaded: ${why}; run "npm rebuild ${name}", with pnpm after "pnpm approve-builds"`,
      { cause },
    );
  }
}

/** Version 13 of `better-sqlite3` ends the process on a Node.js that it does not support, with no error. */
function needsNewerNode(name: string): boolean {
  try {
    const { engines } = createRequire(import.meta.url)(`${name}/package.json`) as {
      readonly engines?: { readonly node?: string };
    };
    const [, least = '0'] = /^>=\s*(\d+)/.exec(engines?.node ?? '') ?? [];
    return Number(process.versions.node.split('.', 1)[0]) < Number(least);
  } catch {
    return false;
  }
}
