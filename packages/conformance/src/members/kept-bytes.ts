import type { IdGenerator, KeyedIdGenerator } from '@ids/core';

/** How many readings each of the two levels is the least of. */
const READINGS = 3;

/** Ids of one round. Many calls are made at once: a strategy may need a round trip for each turn. */
const BATCHES = 15;
const BATCH = 1_000;
const FLIGHTS = 20;
const FLIGHT = 250;

const IDS = BATCHES * BATCH + FLIGHTS * FLIGHT;

/**
 * How many bytes `generator` keeps for each id it issued: how much the least of three readings is above the
 * least of the three before. A buffer that is full at one reading and empty at the next does not count,
 * unless it is full three times in a row. Needs `--expose-gc`.
 */
export async function keptBytesPerId(generator: IdGenerator): Promise<number> {
  return keptBytesPer(IDS, () => issueOneRound(generator));
}

/** New keys of one round, and how many of them are asked for at once. */
const KEYS = 8_000;
const KEYS_AT_ONCE = 500;

/** The same for each key that nobody waits for any more. */
export async function keptBytesPerKey(generator: KeyedIdGenerator): Promise<number> {
  let used = 0;
  return keptBytesPer(KEYS, async () => {
    for (const end = used + KEYS; used < end; used += KEYS_AT_ONCE) {
      const keys = Array.from({ length: KEYS_AT_ONCE }, (_, i) => `kept:${used + i}`);
      await Promise.all(keys.map((key) => generator.next(key)));
    }
  });
}

async function keptBytesPer(each: number, issue: () => Promise<void>): Promise<number> {
  const before = await leastUsedBytes(issue);
  const after = await leastUsedBytes(issue);
  return (after - before) / (READINGS * each);
}

async function leastUsedBytes(issue: () => Promise<void>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let reading = 0; reading < READINGS; reading++) {
    await issue();
    least = Math.min(least, await usedBytes());
  }
  return least;
}

async function issueOneRound(generator: IdGenerator): Promise<void> {
  for (let batch = 0; batch < BATCHES; batch++) await generator.nextBatch(BATCH);
  for (let flight = 0; flight < FLIGHTS; flight++) {
    await Promise.all(Array.from({ length: FLIGHT }, () => generator.next()));
  }
}

async function usedBytes(): Promise<number> {
  // What was settled or closed in this turn is freed in the next one. The memory of buffers is swept beside a
  // collection, so only the next one counts it as free.
  for (let pass = 0; pass < 2; pass++) {
    await new Promise(setImmediate);
    globalThis.gc?.();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
