import { profiles } from '../experiments/profile.js';
import { count } from '../judge/words.js';
import type { BenchResult, Environment } from '../schema/run.js';
import type { Section } from './blocks.js';

/** How the figures were measured, and what they cannot show. */
export function method({ profile: name, processes, environment: where }: BenchResult): Section {
  const { syncBlocks, sync, loopBlocks, loopMs, order } = profiles[name];
  const items = [
    'Each trial runs in a fresh process, from built files. Each block measures all cases, in the order of a Williams design: no case always follows the same one. A trial warms up until a block improves by less than 5 %, and collects garbage before each measurement.',
    `In memory: ${syncBlocks} blocks of up to ${count(sync.calls)} timed calls or ${sync.maxMs} ms, 1,000 ids per timed call, each id kept in an array. A call that finds a segment buffer empty is not timed; the most ids per second in one process, in the recommendation, include that wait. Bursts stay at or below half of the limit of the format.`,
    `With a backend: ${loopBlocks} blocks of ${loopMs} ms per setting, each caller returning to the event loop between calls. Latency in a closed loop hides stalls that would affect independent callers. ${whereServersRan(where)}`,
    'Intervals: 95 %, percentile bootstrap over blocks, ratios paired by block. With few blocks they are too narrow: with fewer than five there is no verdict. "tie": the whole interval lies within 5 % of equal; "unclear": it reaches into that band, or there are fewer than five blocks.',
    'Before and after timing, ids are checked for type, pattern, length and repetition; one wrong id makes the case INVALID.',
    `Uniqueness: all ids of ${processes} processes at once are written to disk, sorted, and compared in full. No faults were injected in this run.`,
    `Order: ${count(order.calls)} calls of next() in each of ${processes} processes at once (a hundredth of that in the last), ${order.concurrency} at a time, spread over at least ${order.windowMs} ms, with times on the machine's monotonic clock. One machine has one clock: the figures include no skew between machines.`,
  ];
  return { title: 'Method and limits', blocks: [{ items }] };
}

function whereServersRan({ byUrl = [] }: Environment): string {
  if (byUrl.length === 0) return 'Backends run on this machine, so the figures include no network.';
  const named = byUrl.map((backend) => (backend === 'redis' ? 'REDIS_URL' : 'DATABASE_URL')).join(' and ');
  return `The figures include the network to the servers in ${named}.`;
}

/** Where and when the figures were measured, and with what. */
export function environment(
  run: Pick<BenchResult, 'startedAt' | 'seconds' | 'profile' | 'environment'>,
): Section {
  const { cpu, cores, memoryBytes, os, otherCores, node, version } = run.environment;
  const { redis = 'not used', postgres = 'not used' } = run.environment;
  const items = [
    `Started ${run.startedAt}, took ${run.seconds.toFixed(1)} s: a ${run.profile} run of version ${version}.`,
    `Machine: ${cpu}, ${cores} cores, ${(memoryBytes / 2 ** 30).toFixed(1)} GiB, ${os}. Other programs used ${otherCores} of the cores.`,
    `Node ${node}; Redis: ${redis}; Postgres: ${postgres}.`,
  ];
  return { title: 'Environment', blocks: [{ items }] };
}
