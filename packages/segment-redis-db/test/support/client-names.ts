export type ClientName = 'ioredis' | 'node-redis';

const ALL: readonly ClientName[] = ['ioredis', 'node-redis'];

/** With `IDS_REDIS_CLIENT`, everything runs on that client alone. */
const { IDS_REDIS_CLIENT: only } = process.env;
if (only !== undefined && !ALL.some((name) => name === only)) {
  throw new Error(`IDS_REDIS_CLIENT must be one of ${ALL.join(', ')}, got "${only}"`);
}

/** The clients on which a test runs in each run by one line, `describe.each(REDIS_CLIENTS)`. */
export const REDIS_CLIENTS = ALL.filter((name) => only === undefined || name === only);

let current: ClientName = REDIS_CLIENTS[0] ?? 'ioredis';

/** The client with which fixtures and contexts connect what a test does not connect itself. */
export function currentClient(): ClientName {
  return current;
}

/** Connects with `name` from now on. Returns the client of until now. */
export function switchTo(name: ClientName): ClientName {
  const before = current;
  current = name;
  return before;
}
