import type { Counters, Health } from '@ids/core';

/** What a generator says of itself when metrics are collected. */
interface Reading {
  readonly counters: Counters;
  readonly health: Health;
}

interface Instrument {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  /** Undefined: nothing to report now. */
  readonly read: (reading: Reading) => number | undefined;
}

/**
 * The names follow the conventions of OpenTelemetry: a singular namespace, no `_total`, no unit in the name,
 * time in seconds.
 */
const COUNTED: readonly (readonly [keyof Counters, name: string, unit: string, description: string])[] = [
  ['idsIssued', 'idgen.id.issued', '{id}', 'Ids issued to callers.'],
  ['idsDiscarded', 'idgen.id.discarded', '{id}', 'Ids of segments that were dropped unused.'],
  ['refills', 'idgen.refill.count', '{refill}', 'Segments that arrived.'],
  ['refillSeconds', 'idgen.refill.time', 's', 'Time that the source took to answer, total of all refills.'],
  ['refillFailures', 'idgen.refill.failures', '{attempt}', 'Attempts to fetch a segment that failed.'],
  [
    'regressions',
    'idgen.regression.count',
    '{regression}',
    'How often the source was found to have gone back, or to have another history than before.',
  ],
  ['waits', 'idgen.wait.count', '{call}', 'Calls that found too few ids in memory and had to wait.'],
  [
    'waitSeconds',
    'idgen.wait.time',
    's',
    'Time that calls waited; the longest of those that ended together.',
  ],
  [
    'notReady',
    'idgen.not_ready.count',
    '{call}',
    'Synchronous calls that were rejected because too few ids were in memory.',
  ],
  ['takes', 'idgen.take.count', '{take}', 'Requests for ids that a shared dispenser answered.'],
  [
    'stateLosses',
    'idgen.state_loss.count',
    '{loss}',
    'How often this process found the state of a shared dispenser lost or replaced.',
  ],
  ['timeouts', 'idgen.timeout.count', '{call}', 'Calls that timed out.'],
  ['newKeys', 'idgen.key.count', '{key}', 'Keys of a family that got their first ids.'],
];

export const COUNTERS = COUNTED.map(([key, name, unit, description]): Instrument => {
  return { name, unit, description, read: ({ counters }) => counters[key] };
});

export const GAUGES: readonly Instrument[] = [
  {
    name: 'idgen.id.remaining',
    unit: '{id}',
    description: 'Ids that can be issued without asking a backend.',
    read: ({ health }) => health.remaining,
  },
  {
    name: 'idgen.id.remaining_time',
    unit: 's',
    description: 'How long the remaining ids will last at the present rate.',
    read: ({ health }) => health.secondsLeft,
  },
  {
    name: 'idgen.range.remaining_time',
    unit: 's',
    description: 'Time until the range of ids ends at the present rate of all processes.',
    read: ({ health: { exhaustedAt } }) => exhaustedAt && (exhaustedAt.getTime() - Date.now()) / 1_000,
  },
  {
    name: 'idgen.backend.up',
    unit: '1',
    description:
      '1 while the backend answered when it was last asked, or was not asked yet; 0 after a failure.',
    read: ({ health: { status } }) =>
      status === 'closed' ? undefined : Number(status === 'ok' || status === 'not-ready'),
  },
];
