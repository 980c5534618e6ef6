import { InvalidArgumentError } from '@commander-js/extra-typings';
import type { IdStrategy } from '@ids/core';
import { unknownNameMessage } from '@ids/core/strategy';
import type { DialectName } from '@ids/store';
import { dialectOfUrl } from '../tables/generators.js';
import type { CommandContext } from '../terminal/command.js';

/** The kinds that `--database` names. */
export const DATABASES: readonly DialectName[] = ['sqlite', 'postgres', 'mysql'];

/** The database of a first config. */
export interface FirstDatabase {
  readonly dialect: DialectName;
  /** For the config. Absent for a server: its URL may contain a password, which the environment keeps. */
  readonly url?: string;
  /** Whether the environment has its URL. */
  readonly isSet: boolean;
}

/**
 * Which database a first config is for; undefined if the strategy needs none. What the environment names is
 * used, since it overrides the config. `wanted`: a name of `DATABASES`, or what asks for one; by default a
 * file, unless the strategy is one for several machines.
 */
export async function firstDatabase(
  { name, optionNames }: IdStrategy,
  wanted: string | (() => Promise<string>) | undefined,
  { environment }: CommandContext,
): Promise<FirstDatabase | undefined> {
  const named = typeof wanted === 'string' ? dialectNamed(wanted) : undefined;
  if (!optionNames.includes('database')) {
    if (named === undefined) return undefined;
    throw new InvalidArgumentError(`--database ${named}: ${name} needs no database`);
  }
  const { IDS_DATABASE_URL: url, IDS_DATABASE_URL_FILE: file } = environment;
  if (url || file) {
    const variable = url ? 'IDS_DATABASE_URL' : 'IDS_DATABASE_URL_FILE';
    const dialect = url ? dialectOfUrl(url) : (named ?? 'postgres');
    if (named !== undefined && (url ? named !== dialect : named === 'sqlite')) {
      throw new InvalidArgumentError(
        `--database ${named}: ${variable} is set and names another database, which would be used; unset it, or leave out --database`,
      );
    }
    return { dialect, isSet: true };
  }
  const onServers = optionNames.includes('redis');
  const dialect =
    named ??
    (onServers ? 'postgres' : typeof wanted === 'function' ? dialectNamed(await wanted()) : 'sqlite');
  if (dialect !== 'sqlite') return { dialect, isSet: false };
  if (onServers) {
    throw new InvalidArgumentError(
      `--database sqlite: ${name} is for several machines, which cannot share a file; use postgres or mysql`,
    );
  }
  return { dialect, url: 'sqlite:ids.db', isSet: false };
}

function dialectNamed(name: string): DialectName {
  const dialect = DATABASES.find((known) => known === name);
  if (dialect !== undefined) return dialect;
  throw new InvalidArgumentError(unknownNameMessage('database', name, DATABASES));
}
