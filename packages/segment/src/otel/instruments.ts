import type { Counters, Health } from '@ids/core';

interface Instrument<Source> {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  /** Undefined: nothing to report now. */
  readonly read: (source: Source) => number | undefined;
}

/**
 * The names follow the conventions of OpenTelemetry: a singular namespace, no `_total`, no unit in the name,
 * time in seconds.
 */
export const COUNTERS: readonly Instrument<Counters>[] = [
  {
    name: 'idgen.id.issued',
    unit: '{id}',
    description: 'Ids issued to callers.',
    read: ({ idsIssued }) => idsIssued,
  },
  {
    name: 'idgen.id.discarded',
    unit: '{id}',
    description: 'Ids of segments that were dropped unused.',
    read: ({ idsDiscarded }) => idsDiscarded,
  },
  {
    name: 'idgen.refill.count',
    unit: '{refill}',
    description: 'Segments that arrived.',
    read: ({ refills }) => refills,
  },
  {
    name: 'idgen.refill.time',
    unit: 's',
    description: 'Time that the source took to answer, total of all refills.',
    read: ({ refillSeconds }) => refillSeconds,
  },
  {
    name: 'idgen.refill.failures',
    unit: '{attempt}',
    description: 'Attempts to fetch a segment that failed.',
    read: ({ refillFailures }) => refillFailures,
  },
  {
    name: 'idgen.regression.count',
    unit: '{regression}',
    description: 'How often the source was found to have gone back, or to have another history than before.',
    read: ({ regressions }) => regressions,
  },
  {
    name: 'idgen.wait.count',
    unit: '{call}',
    description: 'Calls that found too few ids in memory and had to wait.',
    read: ({ waits }) => waits,
  },
  {
    name: 'idgen.wait.time',
    unit: 's',
    description: 'Time that calls waited; the longest of those that ended together.',
    read: ({ waitSeconds }) => waitSeconds,
  },
  {
    name: 'idgen.not_ready.count',
    unit: '{call}',
    description: 'Synchronous calls that were rejected because too few ids were in memory.',
    read: ({ notReady }) => notReady,
  },
  {
    name: 'idgen.take.count',
    unit: '{take}',
    description: 'Requests for ids that a shared dispenser answered.',
    read: ({ takes }) => takes,
  },
  {
    name: 'idgen.state_loss.count',
    unit: '{loss}',
    description: 'How often this process found the state of a shared dispenser lost or replaced.',
    read: ({ stateLosses }) => stateLosses,
  },
  {
    name: 'idgen.timeout.count',
    unit: '{call}',
    description: 'Calls that timed out.',
    read: ({ timeouts }) => timeouts,
  },
];

export const GAUGES: readonly Instrument<Health>[] = [
  {
    name: 'idgen.id.remaining',
    unit: '{id}',
    description: 'Ids that can be issued without asking a backend.',
    read: ({ remaining }) => remaining,
  },
  {
    name: 'idgen.id.remaining_time',
    unit: 's',
    description: 'How long the remaining ids will last at the present rate.',
    read: ({ secondsLeft }) => secondsLeft,
  },
  {
    name: 'idgen.range.remaining_time',
    unit: 's',
    description: 'Time until the range of ids ends at the present rate of all processes.',
    read: ({ exhaustedAt }) => exhaustedAt && (exhaustedAt.getTime() - Date.now()) / 1_000,
  },
  {
    name: 'idgen.backend.up',
    unit: '1',
    description:
      '1 while the backend answered when it was last asked, or was not asked yet; 0 after a failure.',
    read: ({ status }) =>
      status === 'closed' ? undefined : Number(status === 'ok' || status === 'not-ready'),
  },
];
