import type { RedisHash } from './redis.js';

/**
 * The command that deletes a key on its own server and in its own database: without them, `redis-cli` takes
 * database 0 of this machine. It asks for the password instead of showing it. Not by a URL, in which
 * `redis-cli` 7.0 reads no IPv6 address.
 */
export function deleteKeyCommand({ redis, key }: RedisHash): string {
  return `redis-cli ${typeof redis === 'string' ? ofUrl(new URL(redis)) : ofClient(redis)} DEL ${inShell(key)}`;
}

function ofUrl({ protocol, hostname, port, pathname, searchParams, username, password }: URL): string {
  // As ioredis reads it.
  const db = pathname.slice(1) || searchParams.get('db') || '0';
  const user = username === '' ? '' : ` --user ${inShell(decodeURIComponent(username))}`;
  const server = at({ host: hostname, port: port || '6379', db, tls: protocol === 'rediss:' });
  return `${server}${user}${password === '' ? '' : ' --askpass'}`;
}

/** Of one of node-redis, and where ioredis asks others for the address, only the user knows it. */
function ofClient(client: unknown): string {
  const { host, port, db = 0, tls, sentinels, path } = Object(Object(client).options);
  if (typeof host !== 'string' || sentinels || path) return '-h <host> -p <port> -n <database>';
  return at({ host, port, db, tls });
}

interface Place {
  readonly host: string;
  readonly port: unknown;
  readonly db: unknown;
  readonly tls: unknown;
}

function at({ host, port, db, tls }: Place): string {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  return `-h ${inShell(bare)} -p ${port} -n ${db}${tls ? ' --tls' : ''}`;
}

function inShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
