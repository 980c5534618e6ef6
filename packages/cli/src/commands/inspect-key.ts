import type { ConfiguredGenerator } from '@ids/config';
import { IdError, type IdPart, type StoreKeyState } from '@ids/core';
import { openExisting } from '../tables/existing.js';
import { withFixes } from '../tables/fixes.js';
import type { RunContext } from '../terminal/command.js';
import { noteOnKey } from './floor-of-key.js';

/** Where a key of a generator is: by its row, and by its record in Redis if there are such records. */
export async function partsOfKey(
  context: RunContext,
  generator: ConfiguredGenerator,
  key: string,
): Promise<{ readonly parts: readonly IdPart[]; readonly complete: boolean }> {
  const { name, store } = generator;
  const keys = store?.keys;
  if (store === undefined || keys === undefined)
    throw new IdError('ERR_IDS_UNMET', `generators.${name} issues IDs of one sequence: leave --key out`);
  const row = async (): Promise<readonly IdPart[]> => {
    await using database = await openExisting(store.database);
    const state = await keys.describe(database, key);
    noteOnKey(context, generator, key, state);
    return [
      { name: 'row', value: store.table, note: `family ${store.name} in the database` },
      ...rowParts(state),
    ];
  };
  const read = await Promise.allSettled([row(), keys.inspectRecord?.(key) ?? []]);
  const parts: IdPart[] = [{ name: 'key', value: key }];
  for (const [i, part] of read.entries()) {
    if (part.status === 'fulfilled') parts.push(...part.value);
    else {
      const [what, reason] =
        i === 0 ? ['row', await withFixes(part.reason, generator)] : ['record', part.reason];
      context.stderr.write(`ids: cannot read its ${what}: ${(reason as Error).message}\n`);
    }
  }
  return { parts, complete: read.every(({ status }) => status === 'fulfilled') };
}

function rowParts({ reserved, nextAbove, startAfter }: StoreKeyState): readonly IdPart[] {
  if (reserved === undefined)
    return [{ name: 'reserved', value: 'none', note: `new: it starts after ${nextAbove ?? startAfter}` }];
  const skips =
    nextAbove === undefined ? 'the next reservation is refused' : `the next ID is above ${nextAbove}`;
  const note = nextAbove === reserved ? undefined : skips;
  return [{ name: 'reserved', value: String(reserved), ...(note && { note }) }];
}
