import type { ConfiguredGenerator } from '@ids/config';
import { deleteKeyCommand } from '../tables/delete-key.js';
import { isPlaceholder, type NeededEntry } from '../tables/generators.js';
import { otherHashes, type RedisHash } from '../tables/redis.js';
import type { Check } from './check.js';

/** Where Redis keeps the keys of a family, and by which rule a Cluster finds their slots. */
export function recordChecks({ store }: ConfiguredGenerator): Check[] {
  const record = store?.keys?.record?.('<key>');
  if (store === undefined || record === undefined || isPlaceholder(record)) return [];
  // What is in the first braces decides on the slot; with nothing in them, the whole name does.
  const [, tag = ''] = /^[^{]*\{([^}]*)\}/.exec(record.key) ?? [];
  const slots = tag === '' ? 'each in a slot of its own' : `all in the slot of {${tag}}`;
  return [
    { what: `records of ${store.entry}`, status: 'ok', detail: `${record.key}, in a Cluster ${slots}` },
  ];
}

/**
 * Whether ids of the entry are also issued from another hash, because a process has, or had, another
 * `keyPrefix`. `realm` is that of the entry, by which a hash in Redis is known to be one of it.
 */
export async function otherHashChecks(
  { store, hashes }: NeededEntry,
  realm: string | undefined,
): Promise<Check[]> {
  const { hash, entry } = store;
  if (hash === undefined || isPlaceholder(hash)) return [];
  const { keys, unread } = await found(hash, realm);
  const named = hashes.filter(({ redis, key }) => redis !== hash.redis || key !== hash.key);
  const others = new Map<string, RedisHash>([
    ...named.map((one) => [one.redis === hash.redis ? one.key : `${one.key} of another Redis`, one] as const),
    ...keys.map((key) => [key, { redis: hash.redis, key }] as const),
  ]);
  return [
    ...[...others].map(([place, other]): Check => {
      const advice = `If no process needs that, stop those that use it, and then, which answers 1 if it was there: ${deleteKeyCommand(other)}`;
      const detail = `IDs of it are issued from ${hash.key}, and also from ${place}, as with another keyPrefix: they never repeat, but are not in one order. ${advice}`;
      return { what: entry, status: 'warning', detail };
    }),
    ...(unread === undefined
      ? []
      : [
          {
            what: entry,
            status: 'ok' as const,
            detail: `not all of Redis was searched for other hashes of it: ${unread}`,
          },
        ]),
  ];
}

async function found(hash: RedisHash, realm: string | undefined) {
  try {
    return await otherHashes(hash, realm);
  } catch (error) {
    return { keys: [], unread: (error as Error).message };
  }
}
