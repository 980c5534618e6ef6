import type { IdPart } from '@ids/core';
import { inspectEitherLayout } from '@ids/objectid/tools';
import { inspectDecimal } from '@ids/segment';
import { inspectSnowflake } from '@ids/snowflake/tools';
import { uuid7 } from '@ids/uuid7';

/** What a string is as an ID of one strategy. */
export interface Reading {
  /** Names of strategies. */
  readonly strategies: string;
  readonly parts: readonly IdPart[];
}

/** The functions that `ids inspect` calls, but for `gpid`, which needs Node.js to read addresses. */
const READERS: readonly [string, (text: string) => readonly IdPart[] | undefined][] = [
  ['objectid', inspectEitherLayout],
  ['uuid7', (text) => uuid7.inspect?.(text)],
  ['snowflake', (text) => inspectSnowflake(text)],
  ['segment-inproc, segment-redis-db', inspectDecimal],
];

/** Every way to read `text`, none if no strategy here can have issued it. Spaces around it are left out. */
export function readingsOf(text: string): readonly Reading[] {
  return READERS.flatMap(([strategies, read]) => {
    const parts = read(text.trim());
    return parts === undefined ? [] : [{ strategies, parts }];
  });
}
