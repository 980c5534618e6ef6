import getPort from 'get-port';
import { StartError } from './owned-process.js';

const attempts = 5;

/** A port that was free on 127.0.0.1 a moment ago. */
export function freePort(): Promise<number> {
  return getPort({ host: '127.0.0.1' });
}

/**
 * Starts a server on a free port, and on another one when somebody else was quicker: a port cannot be
 * reserved for a process that does not run yet.
 */
export async function onFreePort<T>(start: (port: number) => Promise<T>, choose = freePort): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(await choose());
    } catch (error) {
      const taken = error instanceof StartError && error.addressInUse;
      if (!taken || attempt === attempts) throw error;
    }
  }
}
