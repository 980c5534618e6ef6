import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { currentClient } from './client-names.js';
import { type Connected, ofIoredis, ofNodeRedis, quiet } from './connected-client.js';

/** Connects to a server. It need not be there yet. `retries`: how often ioredis sends a command again. */
export function connectTo(url: string, name = currentClient(), retries = 1): Connected {
  if (name === 'ioredis') return ofIoredis(quiet(new Redis(url, { maxRetriesPerRequest: retries })));
  const client = quiet(createClient({ url, socket: { reconnectStrategy: (attempt) => attempt * 10 } }));
  // It rejects if it is closed before.
  client.connect().catch(() => undefined);
  return ofNodeRedis(client);
}
