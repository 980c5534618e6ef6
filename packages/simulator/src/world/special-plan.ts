import { Random } from '../random.js';
import type { FaultName } from './fault-names.js';
import type { DrawnPlan, Special } from './plan.js';
import { type PlannedFault, scatterFaults } from './scatter-faults.js';

/**
 * The share of the seeds without a Cluster that are special, of the others that are about
 * commands sent again, and so on.
 */
const SHARES = { first: 0.25, sentAgain: 0.2, lateInstalls: 0.1 };

const MIXES: Readonly<Record<Special, readonly FaultName[]>> = {
  clocks: ['kill the filler', 'step the clock of a server', 'slow the table'],
  'wound back': ['wind back a hash'],
  'both forget': ['lose hash and table'],
  'split bookings': ['split behind a killed filler'],
  'sent again': ['flush', 'lose a hash', 'lose replies', 'reset all connections'],
  'late installs': ['stall a connection', 'pause a process', 'change latencies'],
};

/** What would void the little that is promised in a seed of each kind. */
const LEFT_OUT: Readonly<Record<Special, RegExp | undefined>> = {
  clocks: undefined,
  // Who starts knows nothing: only those who were there can tell.
  'wound back': /^(restore the table|(kill|close|start) a process)$/,
  'both forget': /^(restore the table|(kill|close|start) a process)$/,
  // What is lost otherwise hides what the split does.
  'split bookings':
    /^(flush|lose a hash|restart .*|fail over|demote|restore the table|(kill|close) a process)$/,
  'sent again': /^restore the table$/,
  // A new generation would refuse what is late.
  'late installs': /^(flush|lose a hash|restart .*|fail over|demote|split brain|restore the table)$/,
};

/** Drawn from a stream of its own, so that what other seeds draw stays as it is. */
export function specialOf(seed: number): Special | undefined {
  const random = new Random(seed, 'special');
  if (random.chance(SHARES.first)) {
    return random.pick(['clocks', 'wound back', 'both forget', 'split bookings'] as const);
  }
  if (new Random(seed, 'sent again').chance(SHARES.sentAgain)) return 'sent again';
  return new Random(seed, 'late installs').chance(SHARES.lateInstalls) ? 'late installs' : undefined;
}

/** The faults of a special seed: those drawn for it, and those that it is about. */
export function specialFaults(seed: number, special: Special, runMs: number, drawn: PlannedFault[]) {
  const random = new Random(seed, 'special faults');
  const rates = new Map(MIXES[special].map((name) => [name, 1]));
  const often = special !== 'clocks' && special !== 'wound back' && special !== 'both forget';
  const gapMs = often ? random.magnitude(5, 50) : random.magnitude(30, 400);
  const more = scatterFaults(random, { runMs, rates, gapMs, echo: 0, from: drawn.length });
  return [...drawn, ...more].filter(({ name }) => LEFT_OUT[special]?.test(name) !== true);
}

/** What such a seed has in place of what it drew. */
export function specialSettings(seed: number, special: Special | undefined, plan: DrawnPlan): DrawnPlan {
  if (special === 'sent again') return { ...plan, resends: true, maxResends: 20, lossyShare: 0.5 };
  const random = new Random(seed, 'special settings');
  if (special === 'late installs') {
    const { options, demand } = plan;
    const lockMs = Math.round(random.magnitude(10, 60));
    const minStep = Math.round(random.magnitude(5, 30));
    return {
      ...plan,
      tableMs: 2,
      options: { ...options, lockMs, minStep, maxStep: minStep },
      demand: { ...demand, thinkMs: 4 },
    };
  }
  if (special !== 'split bookings') return plan;
  const minStep = Math.round(random.magnitude(10, 100));
  const lockMs = Math.round(random.magnitude(20, 500));
  return {
    ...plan,
    replicas: 1,
    spare: true,
    splitBrain: true,
    // A slow table: bookings wait for segments when the split begins, and those of the two
    // sides come out of order.
    options: { minStep, maxStep: minStep * 3, lockMs, deadlineMs: 5_000, waitReplicas: 1 },
    sequences: plan.sequences.slice(0, 1),
    // Some who wait for the segment that another fetches, on each side.
    processes: random.between(8, 12),
    demand: { ...plan.demand, callers: random.between(1, 2), thinkMs: random.magnitude(4, 20) },
    tableMs: random.magnitude(2, 200),
  };
}
