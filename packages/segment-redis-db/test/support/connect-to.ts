import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { currentClient } from './client-names.js';
import { type Connected, ofIoredis, ofNodeRedis, quiet } from './connected-client.js';

export interface ConnectOptions {
  /** How often ioredis sends a command again: once by default. */
  readonly retries?: number;
  /** Whether nothing precedes the commands of the caller on a new connection. */
  readonly bare?: boolean;
}

/** Connects to a server. It need not be there yet. */
export function connectTo(
  url: string,
  name = currentClient(),
  { retries = 1, bare = false }: ConnectOptions = {},
): Connected {
  if (name === 'ioredis') {
    const nothingFirst = { protocol: 2, enableReadyCheck: false, disableClientInfo: true } as const;
    return ofIoredis(quiet(new Redis(url, { maxRetriesPerRequest: retries, ...(bare && nothingFirst) })));
  }
  const client = quiet(
    createClient({
      url,
      socket: { reconnectStrategy: (attempt) => attempt * 10 },
      ...(bare && { RESP: 2, disableClientInfo: true }),
    }),
  );
  // It rejects if it is closed before.
  client.connect().catch(() => undefined);
  return ofNodeRedis(client);
}
