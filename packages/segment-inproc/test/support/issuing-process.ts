import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Runs } from '@ids/conformance';
import { isIdError } from '@ids/core';
import {
  createSegmentInprocGenerator,
  type SegmentInprocIdGenerator,
  type SegmentInprocOptions,
} from '../../src/index.js';

/**
 * What a child process does: gives `ids` ids as fast as it can and sends them as runs; or prints one
 * by one until it is killed.
 */
export interface IssuingPlan {
  readonly options: SegmentInprocOptions & { readonly as: 'number' };
  readonly ids: number | 'until killed';
}

const BATCH = 997;

const { options, ids } = JSON.parse(process.argv[2] ?? '') as IssuingPlan;
const generator = await createSegmentInprocGenerator(options);
if (ids === 'until killed') await print(generator);
else process.send?.(await issue(generator, ids));
await generator.close();
process.disconnect?.();

/** In each of the ways there are, in turn. */
async function issue(from: SegmentInprocIdGenerator<number>, count: number): Promise<number[]> {
  const runs = new Runs();
  const ways = [
    (n: number) => from.nextBatch(n),
    (n: number) => oneByOne(n, () => from.next()),
    (n: number) => oneByOne(n, () => nextSync(from)),
  ];
  for (let given = 0, turn = 0; given < count; turn++) {
    const n = Math.min(BATCH, count - given);
    runs.add((await ways[turn % ways.length]?.(n)) ?? []);
    given += n;
  }
  return runs.bounds;
}

async function oneByOne(count: number, next: () => number | Promise<number>): Promise<number[]> {
  const some = new Array<number>(count);
  for (let i = 0; i < count; i++) some[i] = await next();
  return some;
}

function nextSync(from: SegmentInprocIdGenerator<number>): number | Promise<number> {
  try {
    return from.nextSync();
  } catch (error) {
    if (!isIdError(error) || error.code !== 'ERR_IDS_NOT_READY') throw error;
    return from.next();
  }
}

/**
 * Written before the next one is asked for, and not through a stream: what was printed
 * before a kill is known.
 */
async function print(from: SegmentInprocIdGenerator<number>): Promise<void> {
  for (;;) {
    writeSync(1, `${await from.next()}\n`);
    await pause(1);
  }
}
