import type { IdGenerator } from '@ids/core';

/** `generator`, which from now on disconnects `client` when it is closed. */
export function owningClient(generator: IdGenerator, client: { disconnect(): void }): IdGenerator {
  const close = generator.close.bind(generator);
  return Object.assign(generator, { close: () => close().finally(() => client.disconnect()) });
}
