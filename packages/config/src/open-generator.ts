import type { IdGenerator, KeyedIdGenerator } from '@ids/core';
import { encodeIds, encodeKeyed } from '@ids/encode';
import type { ConfiguredGenerator } from './plan-generators.js';

/** A generator of a config that is open. */
export type OpenGenerator =
  | { readonly name: string; readonly generator: IdGenerator; readonly keyed: false }
  | { readonly name: string; readonly generator: KeyedIdGenerator; readonly keyed: true };

/** Opens a generator of a validated config, with its ids in the form of `encode`. The caller closes it. */
export async function openGenerator({ name, plan, encode }: ConfiguredGenerator): Promise<OpenGenerator> {
  if (plan.createKeyed === undefined) {
    const generator: IdGenerator = await plan.create();
    return { name, generator: encode ? encodeIds(generator, encode) : generator, keyed: false };
  }
  const generator = await plan.createKeyed();
  return { name, generator: encode ? encodeKeyed(generator, encode) : generator, keyed: true };
}
