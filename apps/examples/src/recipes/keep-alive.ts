import type { Server } from 'node:http';

/** How often to look for connections that have become idle, in milliseconds. */
const LOOK_EVERY_MS = 100;

/**
 * Has a server that is about to close end its connections: each with its next answer, and idle ones at once.
 * Otherwise `close` waits until all clients leave theirs alone, which under load is when the load ends.
 */
function endKeepAlive(server: Server): void {
  // Before the handler of the framework, which sends the headers.
  server.prependListener('request', (_, response) => response.setHeader('connection', 'close'));
  const looking = setInterval(() => server.closeIdleConnections(), LOOK_EVERY_MS);
  server.once('close', () => clearInterval(looking));
}

/** Closes a server once every request under way has its answer. Close what answers need after that. */
export async function closeServer(server: Server): Promise<void> {
  endKeepAlive(server);
  await new Promise((resolve) => server.close(resolve));
}
