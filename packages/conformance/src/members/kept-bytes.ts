import type { IdGenerator } from '@ids/core';

const ROUNDS = 3;

/** Ids of one round. Many calls are made at once: a strategy may need a round trip for each turn. */
const BATCHES = 15;
const BATCH = 1_000;
const FLIGHTS = 20;
const FLIGHT = 250;

const IDS = BATCHES * BATCH + FLIGHTS * FLIGHT;

/**
 * How many bytes `generator` keeps for each id it issued. Of three rounds the middle one counts: a buffer may
 * be larger after one of them, and the engine may give something back in another. Needs `--expose-gc`.
 */
export async function keptBytesPerId(generator: IdGenerator): Promise<number> {
  // The first round is not measured: the engine still compiles.
  await issueOneRound(generator);
  let before = await usedBytes();
  const growths: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await issueOneRound(generator);
    const after = await usedBytes();
    growths.push((after - before) / IDS);
    before = after;
  }
  const [, middle = 0] = growths.sort((a, b) => a - b);
  return middle;
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
