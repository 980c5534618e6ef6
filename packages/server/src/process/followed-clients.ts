import { unwatchFile, watchFile } from 'node:fs';
import type { Logger } from 'pino';
import type { Access } from '../access.js';
import { readClients } from './clients-file.js';

/** How often the file is looked at, in milliseconds. */
const LOOK_MS = 2_000;

export interface FollowedClientsOptions {
  readonly file: string;
  /** The names that the file may use. */
  readonly generators: readonly string[];
  readonly access: Access;
  readonly log: Logger;
}

/** Follows a file of clients: `access` gets its clients each time that it changes. */
export interface FollowedClients {
  /** Reads the file now. One that is wrong changes nothing, and the log says why. */
  reload(): Promise<void>;
  stop(): void;
}

export function followClients({ file, generators, access, log }: FollowedClientsOptions): FollowedClients {
  // One after another, so that what was read last also counts last.
  let reloading = Promise.resolve();
  const load = async (): Promise<void> => {
    try {
      const clients = await readClients(file, generators);
      access.replace(clients);
      log.info({ clients: clients.map(({ name }) => name) }, 'clients reloaded');
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      log.error({ message }, 'clients not reloaded: those from before stay');
    }
  };
  const reload = (): Promise<void> => {
    reloading = reloading.then(load);
    return reloading;
  };
  // Asks for the state of the file: Kubernetes replaces a link on the path, of which nothing is told.
  watchFile(file, { interval: LOOK_MS, persistent: false }, reload);
  return { reload, stop: () => unwatchFile(file, reload) };
}
