import type { ConfiguredGenerator } from '@ids/config';
import { type AnyDatabase, openDatabase } from '@ids/store/open';
import type { WhoIssued } from '../served.js';

/** The grant log of a generator, with a connection of its own. */
export interface OpenGrants {
  readonly whoIssued: WhoIssued;
  close(): Promise<void>;
}

/** Opens the grant log of a generator; undefined if it keeps none. */
export async function openGrants({ store, codec }: ConfiguredGenerator): Promise<OpenGrants | undefined> {
  if (store === undefined || !store.parts.some((part) => part === 'log' || part === 'key-log'))
    return undefined;
  const executor = await openDatabase(store.database as AnyDatabase, { max: 1 });
  return {
    async whoIssued(text, key) {
      const id = codec === undefined ? text : String(codec.decode(text));
      const found =
        key === undefined ? store.whoIssued?.(executor, id) : store.keys?.whoIssued(executor, key, id);
      return (await found) ?? [];
    },
    close: () => executor.close(),
  };
}
