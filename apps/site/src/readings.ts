import type { IdPart } from '@ids/core';
import { formProblem, inspectTypeid, inspectUlid, pastedForms } from '@ids/encode';
import { inspectEitherLayout } from '@ids/objectid/tools';
import { inspectDecimal } from '@ids/segment';
import { inspectSnowflake } from '@ids/snowflake/tools';
import { inspectUuid7 } from '@ids/uuid7';

/** What a string is as an ID of one strategy, or in one form. */
export interface Reading {
  /** Names of strategies, or of the form. */
  readonly readAs: string;
  readonly parts: readonly IdPart[];
}

/** The functions that `ids inspect` calls, but for `gpid`, which needs Node.js to read addresses. */
const READERS: readonly [string, (text: string) => readonly IdPart[] | undefined][] = [
  ['objectid', inspectEitherLayout],
  ['uuid7', inspectUuid7],
  ['snowflake', (text) => inspectSnowflake(text)],
  ['segment-inproc, segment-redis-db', inspectDecimal],
  ['typeid', inspectTypeid],
  ['ulid', inspectUlid],
];

/** Every way to read `text`, or else what was pasted as it; none if it is in no form that is known here. */
export function readingsOf(text: string): readonly Reading[] {
  const readings = pastedForms(text).map((form) =>
    READERS.flatMap(([readAs, read]) => {
      const parts = read(form);
      return parts === undefined ? [] : [{ readAs, parts }];
    }),
  );
  return readings.find(({ length }) => length > 0) ?? [];
}

/** What to say where nothing reads `text`; of what looks like a TypeID or a ULID, what is wrong with it. */
export function whyUnread(text: string): string {
  const known = 'Not an ObjectId, a UUID of version 7, a snowflake, a number, a TypeID or a ULID';
  const problem = formProblem(text.trim());
  return problem === undefined ? `${known}.` : `${known}: ${problem}.`;
}
