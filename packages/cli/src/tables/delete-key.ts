import type { RedisHash } from './redis.js';

/**
 * The command that deletes a key on its own server and in its own database: without them, `redis-cli` takes
 * database 0 of this machine. Asks for the password instead of showing it.
 */
export function deleteKeyCommand({ redis, key }: RedisHash): string {
  return `redis-cli ${typeof redis === 'string' ? ofUrl(new URL(redis)) : ofClient(redis)} DEL ${inShell(key)}`;
}

function ofUrl({ protocol, host, pathname, searchParams, username, password }: URL): string {
  // As ioredis reads it.
  const database = pathname.slice(1) || searchParams.get('db') || '0';
  const user = username === '' ? '' : ` --user ${inShell(decodeURIComponent(username))}`;
  return `-u ${inShell(`${protocol}//${host}/${database}`)}${user}${password === '' ? '' : ' --askpass'}`;
}

/** Of one of node-redis, and where ioredis asks others for the address, only the user knows it. */
function ofClient(client: unknown): string {
  const { host, port, db = 0, tls, sentinels, path } = Object(Object(client).options);
  if (typeof host !== 'string' || sentinels || path) return '-u <the URL of its Redis, with the database>';
  return `-u ${inShell(`redis${tls ? 's' : ''}://${host.includes(':') ? `[${host}]` : host}:${port}/${db}`)}`;
}

function inShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
