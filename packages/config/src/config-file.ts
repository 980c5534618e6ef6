import { readdir, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { IdError } from '@ids/core';
import { loadConfig as loadWithC12 } from 'c12';

interface ConfigFile {
  /** The file name, without the folder. */
  readonly file: string;
  readonly config: object;
  /** In JSON files; YAML parsers reject duplicate keys. */
  readonly duplicates: readonly DuplicateKey[];
}

const FILE_NAME = /^ids\.config\.(?:[cm]?[jt]s|json[c5]?|ya?ml)$/;
const DATA_FILE = /^\.(?:json[c5]?|ya?ml)$/;

/**
 * Reads the `ids.config.*` in `cwd`. Rejects with `ERR_IDS_CONFIG` if there is none or more than one, or if
 * it cannot be read.
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
    // Only this file counts: nothing is fetched, and no key selects by environment name.
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

/** A key that an object contains more than once. JSON parsers silently use the last. */
interface DuplicateKey {
  /** `generators.order.minStep` */
  readonly path: string;
  /** The line numbers, starting at 1, in ascending order. */
  readonly lines: readonly number[];
}

/**
 * The tokens of JSON, JSON with comments, and JSON5: comments, strings, punctuation, and anything between
 * them.
 */
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|[{}[\],:]|[^\s{}[\],:"'/]+/g;

interface Scope {
  readonly path: readonly string[];
  readonly lines: Map<string, number[]>;
}

/** The keys that occur more than once in an object of a valid JSON file. */
function duplicateKeys(text: string): DuplicateKey[] {
  const found: DuplicateKey[] = [];
  const open: Scope[] = [];
  let scope: Scope = { path: [], lines: new Map() };
  let [before, key] = ['', ''];
  let [line, upTo] = [1, 0];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token.startsWith('//') || token.startsWith('/*')) continue;
    line += text.slice(upTo, index).split('\n').length - 1;
    upTo = index;
    if (token === ':') {
      key = nameOf(before);
      scope.lines.set(key, [...(scope.lines.get(key) ?? []), line]);
    } else if (token === '{' || token === '[') {
      open.push(scope);
      scope = { path: before === ':' ? [...scope.path, key] : scope.path, lines: new Map() };
    } else if (token === '}' || token === ']') {
      for (const [name, lines] of scope.lines) {
        if (lines.length > 1) found.push({ path: [...scope.path, name].join('.'), lines });
      }
      scope = open.pop() ?? scope;
    }
    before = token;
  }
  return found;
}

/** A key is quoted or, in JSON5, can be bare. The same key may be written with escapes. */
function nameOf(token: string): string {
  if (!/^["']/.test(token)) return token;
  try {
    return String(JSON.parse(token));
  } catch {
    return token.slice(1, -1);
  }
}
