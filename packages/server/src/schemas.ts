import { MAX_BATCH } from '@ids/core';
import { NONCE_PATTERN } from '@ids/http/wire';
import { LAST_ID, MAX_STEP } from '@ids/segment';
import * as v from 'valibot';

// The bodies of requests. Unknown members are refused: a client that misspells "count" must not get one id.

export const NONCE = v.pipe(
  v.string(),
  v.regex(NONCE_PATTERN, 'must be 1 to 64 letters, digits, hyphens and underscores'),
  v.description('Chosen anew for each request. The answer repeats it.'),
);

const TIMEOUT_MS = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(1),
  v.maxValue(86_400_000),
  v.description('How long the client waits, in milliseconds. Later, nothing is taken for it any more.'),
);

const envelope = { nonce: v.optional(NONCE), timeoutMs: v.optional(TIMEOUT_MS) };

/** How long a key may be in UTF-8, in bytes. */
const LONGEST_KEY = 255;

const KEY = v.pipe(
  v.string(),
  // A lone surrogate has no bytes in UTF-8.
  v.check((key) => !/\p{Surrogate}/u.test(key), 'must be well-formed Unicode'),
  v.check(
    (key) => new TextEncoder().encode(key).length <= LONGEST_KEY,
    `must be at most ${LONGEST_KEY} bytes in UTF-8`,
  ),
);

const GENERATOR = v.pipe(v.string(), v.minLength(1), v.description('The name of a generator.'));

const CALL = v.strictObject({
  generator: GENERATOR,
  key: v.optional(v.pipe(KEY, v.description('Of a keyed generator: whose ids are issued.'))),
  count: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_BATCH)), 1),
  startAfter: v.optional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(0),
      v.maxValue(Number.MAX_SAFE_INTEGER),
      v.description('Of a key without ids so far: how far above the start of its family it begins.'),
    ),
  ),
});

/** The most calls of one request. */
const MAX_CALLS = 1_000;

export const ISSUE = v.strictObject({
  ...envelope,
  graceMs: v.optional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(1),
      v.maxValue(86_400_000),
      v.description('How long the ids of a call may wait for those of the others, in milliseconds.'),
    ),
  ),
  calls: v.pipe(v.array(CALL), v.minLength(1), v.maxLength(MAX_CALLS)),
});

const ID = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(LAST_ID));

export const LEASE = v.strictObject({
  ...envelope,
  generator: GENERATOR,
  size: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_STEP)),
  floor: v.optional(v.pipe(ID, v.description('The lease is above it. Needs the right "floor".'))),
  within: v.optional(
    v.pipe(
      v.array(v.string()),
      v.description('Lease only if the sequence names exactly these reigns, the present one first.'),
    ),
  ),
  expectedMaxId: v.optional(v.pipe(ID, v.description('Lease only if the sequence is exactly there.'))),
});

export type ParsedLease = v.InferOutput<typeof LEASE>;
export type ParsedCall = v.InferOutput<typeof CALL>;
export type ParsedIssue = v.InferOutput<typeof ISSUE>;

/** What is wrong with a body, in one line: where, and what is accepted there. */
export function issueText(issues: readonly v.BaseIssue<unknown>[]): string {
  return issues
    .slice(0, 5)
    .map((issue) => `${v.getDotPath(issue) ?? 'the body'}: ${issue.message}`)
    .join('; ');
}
