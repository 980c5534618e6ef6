import { generatorsIn } from './config-problems.js';

/** Shorter ones would blot out innocent words, and are no secrets. */
const SHORTEST_SECRET = 6;

/** What stands between `//` and `@` in a URL, and a password among its parameters. */
function masked(text: string): string {
  return text.replace(/(\/\/)[^\s/@"']*@/g, '$1***@').replace(/([?&]\w*password=)[^&\s"']*/gi, '$1***');
}

/**
 * A function that blots the secrets of `config` out of a text: URLs with passwords,
 * keys, and what is in them.
 */
export function secretHider(config: unknown): (text: string) => string {
  const secrets = [...secretsOf(config)].filter((secret) => secret.length >= SHORTEST_SECRET);
  // The longest first, so that no part of one is left standing.
  secrets.sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((left, secret) => left.replaceAll(secret, '***'), masked(text));
}

function* secretsOf(config: unknown): Iterable<string> {
  const { redis, database } = Object(config) as Record<string, unknown>;
  yield* partsOf(redis);
  yield* partsOf(database);
  for (const [, generator] of generatorsIn(config)) {
    const own = Object(generator) as Record<string, unknown>;
    yield* partsOf(own.redis);
    yield* partsOf(own.database);
    const { key } = Object(own.encode) as Record<string, unknown>;
    if (typeof key === 'string') yield key;
  }
}

function* partsOf(url: unknown): Iterable<string> {
  if (typeof url !== 'string') return;
  if (!URL.canParse(url)) {
    yield url;
    return;
  }
  const { password } = new URL(url);
  yield password;
  try {
    yield decodeURIComponent(password);
  } catch {
    // Not written as URLs demand; then nothing decodes it either.
  }
}

/** A setting for people: the value, unless it is or may hold a secret. */
export function shownSetting(path: string, value: unknown): string {
  const last = path.slice(path.lastIndexOf('.') + 1);
  if (last === 'key') return '***';
  if (typeof value === 'string') return masked(value);
  if (typeof value === 'object' && value !== null)
    return last === 'redis' || last === 'database' ? 'a client' : JSON.stringify(value);
  return String(value);
}
