import type { SyncIdGenerator } from '@ids/core';
import { createTypeidCodec } from '@ids/encode/typeid';
import type { BetterAuthOptions } from 'better-auth';

/** Options for `betterAuth`: users get ids such as `user_01h455vb4pex5vsknk084sn02q`, of UUIDs of `uuids`. */
export function typeIdsOf(uuids: SyncIdGenerator<string>): BetterAuthOptions {
  const generateId = ({ model }: { readonly model: string }) =>
    createTypeidCodec(typeOf(model)).encode(uuids.nextSync());
  return { advanced: { database: { generateId } } };
}

/** The type in a TypeID has no capitals: the model `oauthClient` becomes `oauth_client`. */
function typeOf(model: string): string {
  return model.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
