import type { Guarantees, SyncIdGenerator } from '@ids/core';
import { IdError } from '@ids/core';
import {
  AdaptiveStep,
  describeWithin,
  type IdTypeName,
  type IdTypes,
  SegmentBuffer,
  type SegmentCounters,
  type SegmentSource,
  toIdOf,
} from '@ids/segment';
import { Connection } from './connection.js';
import { describeGenerator } from './describe.js';
import { MostIds } from './most-ids.js';
import { type ParsedOptions, stepsOf } from './options.js';
import { HttpSegmentSource } from './segment-source.js';

type AnyId = IdTypes[IdTypeName];

/** A generator whose ids come from ranges in memory, leased from a server. */
export interface HttpSegmentIdGenerator<T extends AnyId = AnyId> extends SyncIdGenerator<T> {
  /** Totals since it was opened; without I/O, also after `close`. */
  counters(): SegmentCounters;
}

/** Asks the server about the generator, and opens one over its leases. */
export async function openSegments(
  strategy: string,
  guarantees: Guarantees,
  options: ParsedOptions,
): Promise<HttpSegmentIdGenerator> {
  const { url, token, fetch, name, as, deadlineMs, onEvent } = options;
  const connection = { url, token, fetch };
  const asking = new Connection(connection);
  const read = async () => (await describeGenerator(asking, name, { timeoutMs: deadlineMs })).maxIdsPerLease;
  const most = await read();
  if (most === undefined) {
    const why = `generator ${JSON.stringify(name)} of the server leases no ranges: use "mode": "ids"`;
    throw new IdError('ERR_IDS_UNMET', why);
  }
  const source = withinLimit(new HttpSegmentSource(connection), new MostIds(most, read));
  const sequence = await describeWithin(source, name, deadlineMs, onEvent);
  return new SegmentBuffer<AnyId>({
    strategy,
    guarantees,
    source,
    name,
    origin: sequence,
    toId: toIdOf[as],
    deadlineMs,
    onEvent,
    step: new AdaptiveStep(stepsOf(options)),
  });
}

/** A larger batch needs several leases: the buffer goes on until it has enough. */
function withinLimit(source: SegmentSource, most: MostIds): SegmentSource {
  return {
    describe: (name, options) => source.describe(name, options),
    reserve: (name, size, options) => most.ask(size, (count) => source.reserve(name, count, options)),
    close: () => source.close(),
  };
}
