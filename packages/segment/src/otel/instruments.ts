import type { Counters, Health } from '@ids/core';

interface Instrument<Source> {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  /** Undefined: nothing to report at present. */
  readonly read: (source: Source) => number | undefined;
}

/**
 * Names after OpenTelemetry's conventions: a singular namespace, no `_total`, the unit beside
 * the name, time in seconds.
 */
export const COUNTERS: readonly Instrument<Counters>[] = [
  {
    name: 'idgen.id.issued',
    unit: '{id}',
    description: 'Ids given to callers.',
    read: ({ idsIssued }) => idsIssued,
  },
  {
    name: 'idgen.id.discarded',
    unit: '{id}',
    description: 'Ids of segments that were thrown away unused.',
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
    description: 'Time that the source took to answer, all refills together.',
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
    description: 'Times that the source was found to have gone back, or to have another history than before.',
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
    description: 'Time that callers waited: of calls that ended together, the longest.',
    read: ({ waitSeconds }) => waitSeconds,
  },
  {
    name: 'idgen.not_ready.count',
    unit: '{call}',
    description: 'Synchronous calls that were refused because too few ids were in memory.',
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
    description: 'Times that the state of a shared dispenser was found lost or replaced, by this process.',
    read: ({ stateLosses }) => stateLosses,
  },
  {
    name: 'idgen.timeout.count',
    unit: '{call}',
    description: 'Calls that ran out of time.',
    read: ({ timeouts }) => timeouts,
  },
];

export const GAUGES: readonly Instrument<Health>[] = [
  {
    name: 'idgen.id.remaining',
    unit: '{id}',
    description: 'Ids that can be given without asking a backend.',
    read: ({ remaining }) => remaining,
  },
  {
    name: 'idgen.id.remaining_time',
    unit: 's',
    description: 'How long the remaining ids last at the present rate.',
    read: ({ secondsLeft }) => secondsLeft,
  },
  {
    name: 'idgen.range.remaining_time',
    unit: 's',
    description: 'How long it takes until the range of ids ends at the present rate of all processes.',
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
