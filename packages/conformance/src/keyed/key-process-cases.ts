import assert from 'node:assert/strict';
import type { Guarantees } from '@ids/core';
import { orderOf } from '../cases/assert-ids.js';
import { never } from '../cases/conformance-case.js';
import { PROCESSES, type ProcessLives, processLives } from '../cases/process-lives.js';
import { assertHistory } from '../checker/check-history.js';
import type { HistoryLevel } from '../checker/findings.js';
import { type History, historiesByKey } from '../history.js';
import type { KeyedConformanceCase, KeyedConformanceSubject } from './keyed-case.js';

/** Few, so that calls of one key overlap; prime to the sizes of the batches, so that each key has all. */
const KEYS = Array.from({ length: 5 }, (_, i) => `group:${i}`);

/** Bytes that a generator may keep for each idle key, by which a measurement may be wrong. */
const BYTES_PER_KEY = 40;

export const keyProcessCases: readonly KeyedConformanceCase[] = [
  {
    name: `issues no id of a key twice from ${PROCESSES} processes that share their keys`,
    skip: inOneProcess,
    run: (subject) => check(subject, ({ together }) => together, ['unique']),
  },
  {
    name: 'issues no id of a key twice from processes that start after others have closed or were killed',
    skip: inOneProcess,
    run: (subject) => check(subject, ({ all }) => all, ['unique']),
  },
  {
    name: `issues increasing ids of each key in each of ${PROCESSES} processes, first come, first served`,
    skip: ({ order }) => (order.process === 'none' ? 'ids of one generator are not said to rise' : undefined),
    run: (subject) => check(subject, ({ together }) => together, ['increasing', 'fifo']),
  },
  {
    name: `issues ids of each key in real-time order across ${PROCESSES} processes`,
    skip: ({ order }) =>
      order.cluster === 'real-time' ? undefined : 'processes together are not said to rise',
    run: (subject) => check(subject, ({ all }) => all, ['real-time']),
  },
  {
    name: `keeps less than ${BYTES_PER_KEY} bytes of memory per idle key`,
    limits: true,
    skip: never,
    run: async (subject) => {
      const { keptBytes } = await (await processLives(subject, KEYS)).inspect();
      assert.ok(keptBytes < BYTES_PER_KEY, `the generator kept ${keptBytes.toFixed(1)} bytes per idle key`);
    },
  },
];

function inOneProcess({ unique }: Guarantees): string | undefined {
  return unique === 'process' ? 'ids are unique in one process only' : undefined;
}

async function check(
  subject: KeyedConformanceSubject,
  part: (lives: ProcessLives) => History,
  levels: readonly HistoryLevel[],
): Promise<void> {
  const histories = historiesByKey(part(await processLives(subject, KEYS)));
  const compare = levels.includes('unique') ? {} : { compare: orderOf(subject) };
  assert.equal(histories.size, KEYS.length, 'the keys of the run');
  for (const history of histories.values()) assertHistory(history, { levels, ...compare });
}
