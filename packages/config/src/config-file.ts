import { readdir, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { IdError } from '@ids/core';
import { loadConfig as loadWithC12 } from 'c12';
import type { ConfigWarning } from './environment.js';

interface ConfigFile {
  /** The file name, without the folder. */
  readonly file: string;
  readonly config: object;
  /** Keys that occur more than once in a JSON file; YAML parsers reject them. */
  readonly duplicates: readonly ConfigWarning[];
}

const FILE_NAME = /^ids\.config\.(?:[cm]?[jt]s|json[c5]?|ya?ml)$/;
const DATA_FILE = /^\.(?:json[c5]?|ya?ml)$/;

/** The names of the `ids.config.*` in `cwd`, sorted; none if there is no such folder. */
export async function configFilesIn(cwd: string): Promise<readonly string[]> {
  return (await readdir(cwd).catch(() => [])).filter((name) => FILE_NAME.test(name)).sort();
}

/**
 * Reads the `ids.config.*` in `cwd`. Rejects with `ERR_IDS_CONFIG` if there is none or more than one, or if
 * it cannot be read.
 */
export async function readConfigFile(cwd: string): Promise<ConfigFile> {
  const files = await configFilesIn(cwd);
  const [found] = files;
  if (found === undefined) {
    throw new IdError('ERR_IDS_CONFIG', `there is no ids.config.{ts,js,json,yaml} in ${cwd}`);
  }
  if (files.length > 1) {
    throw new IdError('ERR_IDS_CONFIG', `${files.join(' and ')} are both in ${cwd}: keep one`);
  }
  const { config, configFile = found } = await loadWithC12<object>({
    name: 'ids',
    cwd,
    configFile: basename(found, extname(found)),
    rcFile: false,
    globalRc: false,
    packageJson: false,
    dotenv: false,
    // Only this file counts: nothing is fetched, and no key selects by environment name.
    extend: false,
    envName: false,
    giget: false,
    omit$Keys: false,
  }).catch((cause: unknown) => {
    throw unreadable(found, cwd, cause);
  });
  const file = basename(configFile);
  if (!extname(found).startsWith('.json')) return { file, config, duplicates: [] };
  const { duplicateKeys } = await import('./duplicate-keys.js');
  const duplicates = duplicateKeys(await readFile(join(cwd, found), 'utf8')).map(({ path, lines }) => ({
    about: file,
    message: `the key "${path}" occurs ${lines.length} times (lines ${lines.join(', ')}); only the last one is used`,
  }));
  return { file, config, duplicates };
}

/**
 * Parsers quote the text around an error, which may contain a password. For data files, the message gives
 * only the position.
 */
function unreadable(file: string, cwd: string, cause: unknown): IdError {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (!DATA_FILE.test(extname(file))) {
    const [line = ''] = message.split('\n');
    return new IdError('ERR_IDS_CONFIG', `${file} in ${cwd} cannot be read: ${line}`, { cause });
  }
  const kind = /ya?ml$/.test(file) ? 'YAML' : 'JSON';
  const [, row, column] = /(?:line |\()(\d+)(?: column |:)(\d+)/.exec(message) ?? [];
  const place = row === undefined ? '' : ` (line ${row}, column ${column})`;
  return new IdError('ERR_IDS_CONFIG', `${file} in ${cwd} cannot be read: it is not valid ${kind}${place}`);
}
