import getPort from 'get-port';
import { StartError } from './owned-process.js';

const host = '127.0.0.1';
const startAttempts = 5;

// A server that is restarted needs the port it had, and nothing can hold that port while it is down. So the
// ports are below those that systems give to outgoing connections and to `listen(0)`, and each process takes
// them in turn from its own block: by PID, so that two processes at a time rarely have the same.
const firstPort = 10_240;
const blockSize = 256;
const blocks = 39;

/** The bus of a cluster node is at its port + 10,000, which {@link freePort} never returns. */
export const busPortOffset = 10_000;

const blockStart = firstPort + (process.pid % blocks) * blockSize;
let turn = Math.floor(Math.random() * blockSize);

/** A port from 10,240 to 20,223 that was free on 127.0.0.1 a moment ago. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < blockSize; tried++) {
    const port = blockStart + (turn++ % blockSize);
    if (await isFree(port)) return port;
  }
  throw new Error(
    `no free port from ${blockStart} to ${blockStart + blockSize - 1}, which this process uses`,
  );
}

/** Whether `port` was free on 127.0.0.1 a moment ago. */
export async function isFree(port: number): Promise<boolean> {
  return (await getPort({ host, port })) === port;
}

/**
 * Starts a server on a free port, and tries another one if somebody else took it first: a port cannot be
 * reserved for a process that is not running yet.
 */
export async function onFreePort<T>(start: (port: number) => Promise<T>, choose = freePort): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(await choose());
    } catch (error) {
      if (!isAddressInUse(error) || attempt === startAttempts) throw error;
    }
  }
}

function isAddressInUse(error: unknown): boolean {
  if (error instanceof StartError) return error.addressInUse;
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}
