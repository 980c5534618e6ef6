import type { ConfigWarning, Setting } from './environment.js';

/** The parameters of a URL of Postgres that `pg` heeds; it ignores all others without a word. */
const HEEDED: ReadonlySet<string> = new Set([
  'application_name',
  'binary',
  'client_encoding',
  'database',
  'encoding',
  'fallback_application_name',
  'host',
  'idle_in_transaction_session_timeout',
  'lock_timeout',
  'options',
  'password',
  'port',
  'query_timeout',
  'replication',
  'ssl',
  'sslcert',
  'sslkey',
  'sslmode',
  'sslnegotiation',
  'sslrootcert',
  'statement_timeout',
  'uselibpqcompat',
  'user',
]);

/** Warns of parameters that a URL has for other clients, as those of Prisma do. */
export function urlWarnings(settings: readonly Setting[]): ConfigWarning[] {
  return settings.flatMap(({ path, value }) => {
    if (path.at(-1) !== 'database' || typeof value !== 'string') return [];
    if (!/^postgres(ql)?:\/\//.test(value) || !URL.canParse(value)) return [];
    const ignored = [...new Set(new URL(value).searchParams.keys())].filter((name) => !HEEDED.has(name));
    if (ignored.length === 0) return [];
    return [{ about: path.join('.'), message: `has parameters that are ignored: ${ignored.join(', ')}` }];
  });
}
