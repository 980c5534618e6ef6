import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fetchDebianPackage } from './debian-package.js';
import { findOnPath, isExecutableFile } from './owned-process.js';

export interface MariadbBinary {
  readonly command: string;
  /** Such as `10.11.19`. */
  readonly version: string;
  /** The folder with the messages, the character sets and the SQL of the system tables. */
  readonly share: string;
  /** Where its shared libraries are, if they are not installed. */
  readonly env: Readonly<Record<string, string>>;
}

let found: Promise<MariadbBinary> | undefined;

/**
 * `mariadbd` on PATH or in a folder for servers; otherwise, on Debian and Ubuntu, the package
 * `mariadb-server-core`, unpacked into a cache folder.
 */
export function mariadbBinary(): Promise<MariadbBinary> {
  found ??= findMariadb().catch((error: unknown) => {
    found = undefined;
    throw error;
  });
  return found;
}

const PACKAGE = {
  name: 'mariadb-server-core',
  executable: 'usr/sbin/mariadbd',
  elsewhere: { brew: 'mariadb', apk: 'mariadb' },
};

async function findMariadb(): Promise<MariadbBinary> {
  const installed = installedCommand();
  if (installed !== undefined) return described(await realpath(installed), {});
  const { command, env } = await fetchDebianPackage(PACKAGE);
  return described(command, env);
}

/** Folders for servers are often on the PATH of root only. */
function installedCommand(): string | undefined {
  const folders = ['/usr/sbin', '/usr/local/sbin', '/usr/libexec'];
  return findOnPath('mariadbd') ?? folders.map((folder) => join(folder, 'mariadbd')).find(isExecutableFile);
}

function described(command: string, env: Readonly<Record<string, string>>): MariadbBinary {
  const { status, stdout, stderr, error } = spawnSync(command, ['--no-defaults', '--version'], {
    env: { PATH: process.env.PATH, ...env },
    encoding: 'utf8',
  });
  const version = /Ver (\d+\.\d+\.\d+)/.exec(stdout ?? '')?.[1];
  if (status !== 0 || version === undefined) {
    throw new Error(
      `${command} does not run (${error?.message ?? stderr.trim()}): install it, or remove the folder to have it ` +
        'fetched again',
    );
  }
  const prefix = dirname(dirname(command));
  const shares = [join(prefix, 'share/mysql'), join(prefix, 'share/mariadb')];
  const share = shares.find((folder) => systemTables(folder) !== undefined);
  if (share === undefined) {
    throw new Error(
      `${command} lacks the SQL of its system tables in ${shares.join(' or ')}: install it again`,
    );
  }
  return { command, version, share, env };
}

/** The files that create the system tables, in order; undefined if they are not in this folder. */
export function systemTables(share: string): string[] | undefined {
  const parts = ['system_tables', 'performance_tables', 'system_tables_data'];
  for (const prefix of ['mysql', 'mariadb']) {
    const files = parts.map((part) => join(share, `${prefix}_${part}.sql`));
    if (files.every((file) => existsSync(file))) return files;
  }
  return undefined;
}
