import { generatorsIn, seriesIn } from './ids-config.js';

/** Masking shorter ones would garble ordinary words, and they are not secrets. */
const SHORTEST_SECRET = 6;

/**
 * Masks what stands before the last `@` of a URL, since a password may contain `@`, `/` or quotes, and
 * passwords and tokens among its parameters.
 */
function masked(text: string): string {
  return text.replace(/(\/\/)\S*@/g, '$1***@').replace(/([?&]\w*(?:password|token)=)[^&\s"]*/gi, '$1***');
}

/**
 * Returns a function that masks the secrets of `config` in a string: URLs with passwords, keys, tokens, and
 * their parts.
 */
export function secretHider(config: unknown): (text: string) => string {
  const secrets = [...secretsOf(config)].filter((secret) => secret.length >= SHORTEST_SECRET);
  // The longest first, so that no part of one remains.
  secrets.sort((a, b) => b.length - a.length);
  // Before the rest is masked, which would leave a part of one with a blank in it.
  return (text) => masked(secrets.reduce((left, secret) => left.replaceAll(secret, '***'), text));
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
    for (const secret of [key, own.token]) if (typeof secret === 'string') yield secret;
  }
  for (const [, series] of seriesIn(config)) {
    yield* partsOf((Object(series) as Record<string, unknown>).database);
  }
}

function* partsOf(url: unknown): Iterable<string> {
  if (typeof url !== 'string') return;
  if (!URL.canParse(url)) {
    yield url;
    return;
  }
  const { password, searchParams } = new URL(url);
  yield password;
  yield searchParams.get('authToken') ?? '';
  try {
    yield decodeURIComponent(password);
  } catch {
    // Not valid in a URL, so it is not decoded elsewhere either.
  }
}

/** Formats a setting for display. Hides it if it is a secret, and any secrets in it. */
export function shownSetting(path: string, value: unknown): string {
  const last = path.slice(path.lastIndexOf('.') + 1);
  if (last === 'key' || last === 'token') return '***';
  // All of it is one URL, so a blank does not end it.
  if (typeof value === 'string') return masked(value.replace(/(\/\/).*@/s, '$1***@'));
  if (typeof value === 'object' && value !== null)
    return last === 'redis' || last === 'database' ? 'a client' : JSON.stringify(value);
  return String(value);
}
