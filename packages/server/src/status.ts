import { wireHealth } from './describe.js';
import type { Operation } from './openapi.js';
import { isKeyed, type ServedGenerator } from './served.js';
import { STATUS, type Status } from './status-schema.js';
import type { Holding, Tallies, Trouble } from './tally.js';

export const READ_STATUS: Operation = {
  operationId: 'readStatus',
  summary: 'Read how generators are doing',
  description:
    'What they gave since the start and in the last five minutes, what fails and since when, and which clients ' +
    'hold ids. For the page of the server, and without a question to any store. Takes no ids.',
  answer: STATUS,
};

type GeneratorStatus = Status['generators'][number];

/** What people want to know of a generator at three in the morning, without I/O. */
export function statusOf(name: string, served: ServedGenerator, tallies: Tallies): GeneratorStatus {
  const { generator, realm } = served;
  const tally = tallies.of(name, generator);
  const { refills, refillFailures } = generator.counters?.() ?? {};
  const trouble = tally.trouble();
  return {
    name,
    strategy: generator.strategy,
    keyed: isKeyed(served),
    realm: realm ?? null,
    health: wireHealth(generator.health()),
    ...tally.ids,
    ...(refills !== undefined && { refills }),
    ...(refillFailures !== undefined && { refillFailures }),
    recent: tally.recent(),
    failures: [...tally.failures].map(([code, calls]) => ({ code, calls })),
    ...(trouble !== undefined && { trouble: wireTrouble(trouble) }),
    clients: [...tally.holdings].map(([client, holding]) => wireHolding(client ?? null, holding)),
  };
}

function wireTrouble({ code, since, at, calls, until }: Trouble): GeneratorStatus['trouble'] {
  return {
    code,
    since: since.toISOString(),
    at: at.toISOString(),
    calls,
    ...(until !== undefined && { until: until.toISOString() }),
  };
}

function wireHolding(name: string | null, { at, ...ids }: Holding): GeneratorStatus['clients'][number] {
  return { name, ...ids, at: at.toISOString() };
}
