import type { IdGenerator } from '@ids/core';

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
  const before = await leastUsedBytes(generator);
  const after = await leastUsedBytes(generator);
  return (after - before) / (READINGS * IDS);
}

async function leastUsedBytes(generator: IdGenerator): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let reading = 0; reading < READINGS; reading++) {
    await issueOneRound(generator);
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
  // What was settled or closed in this turn is freed in the next one.
  await new Promise(setImmediate);
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
