import type { IdGenerator } from '@ids/core';

const ROUNDS = 3;

/** Ids of one round. Many calls are made at once: a strategy may need a round trip for each turn. */
const BATCHES = 15;
const BATCH = 1_000;
const FLIGHTS = 20;
const FLIGHT = 250;

const IDS = BATCHES * BATCH + FLIGHTS * FLIGHT;

/**
 * How many bytes `generator` keeps for each id that it issued, at least: the smallest growth of several
 * rounds, since a buffer may be larger after one of them. Needs `--expose-gc`.
 */
export async function keptBytesPerId(generator: IdGenerator): Promise<number> {
  // The first round is not measured: the engine still compiles.
  await issueOneRound(generator);
  let before = await usedBytes();
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    await issueOneRound(generator);
    const after = await usedBytes();
    least = Math.min(least, (after - before) / IDS);
    before = after;
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
