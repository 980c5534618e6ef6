import type { IdGenerator } from '@ids/core';

/** `generator`, which from now on disconnects `client` when it is closed. */
export function owningClient(generator: IdGenerator, client: { disconnect(): void }): IdGenerator {
  const close = generator.close.bind(generator);
  return Object.assign(generator, { close: () => close().finally(() => client.disconnect()) });
}

/** What both kinds of ioredis client can do beside commands. */
export interface Connecting {
  readonly status: string;
  once(event: 'ready', listener: () => void): unknown;
  disconnect(): void;
}

/**
 * Resolves once `client` is connected. A call leaves Redis one second, in which a busy machine may
 * not even find all nodes.
 */
export async function connected(client: Connecting): Promise<void> {
  if (client.status !== 'ready') await new Promise<void>((resolve) => client.once('ready', resolve));
}
