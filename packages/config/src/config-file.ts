import { readdir, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { IdError } from '@ids/core';
import { loadConfig as loadWithC12 } from 'c12';
import { type DuplicateKey, duplicateKeys } from './duplicate-keys.js';

export interface ConfigFile {
  /** Its name, without the folder. */
  readonly file: string;
  readonly config: object;
  /** Of JSON files; a parser of YAML refuses them itself. */
  readonly duplicates: readonly DuplicateKey[];
}

const FILE_NAME = /^ids\.config\.(?:[cm]?[jt]s|json[c5]?|ya?ml)$/;
const DATA_FILE = /^\.(?:json[c5]?|ya?ml)$/;

/**
 * Reads the one `ids.config.*` in `cwd`. Rejects with `ERR_IDS_CONFIG` when there is none, more than
 * one, or it cannot be read.
 */
export async function readConfigFile(cwd: string): Promise<ConfigFile> {
  const files = (await readdir(cwd).catch(() => [])).filter((name) => FILE_NAME.test(name)).sort();
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
    // What stands in the file is the config: nothing is fetched, and no key chooses by an environment's name.
    extend: false,
    envName: false,
    giget: false,
    omit$Keys: false,
  }).catch((cause: unknown) => {
    throw unreadable(found, cwd, cause);
  });
  const json = extname(found).startsWith('.json');
  const duplicates = json ? duplicateKeys(await readFile(join(cwd, found), 'utf8')) : [];
  return { file: basename(configFile), config, duplicates };
}

/**
 * A parser quotes the text around its error, and there may be a password in it: of data
 * files only the place is told.
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
