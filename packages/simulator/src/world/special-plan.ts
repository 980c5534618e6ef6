import { Random } from '../random.js';
import type { TablePlan } from '../table/table-plan.js';
import type { DrawnPlan, Special } from './plan.js';
import { type FaultName, type PlannedFault, scatterFaults } from './planned-faults.js';

/**
 * The share of special seeds among those without a Cluster; of the rest, the share about resent commands; of
 * the rest, the share about late installs; of the rest, that about a copied hash; of the rest, that about
 * deposed primaries; and of the rest, that about split brain.
 */
const SHARES = {
  first: 0.25,
  sentAgain: 0.2,
  lateInstalls: 0.2,
  copiedHash: 0.05,
  deposed: 0.06,
  confirmedSplit: 0.15,
};

const MIXES: Readonly<Record<Special, readonly FaultName[]>> = {
  clocks: ['kill the refiller', 'step the clock of a server', 'slow the table'],
  'wound back': ['wind back a hash'],
  'both forget': ['lose hash and table'],
  'split bookings': ['split behind a killed refiller'],
  'sent again': ['flush', 'lose a hash', 'lose replies', 'reset all connections'],
  'late installs': ['stall a connection', 'pause a process', 'change latencies'],
  'copied hash': ['copy a hash'],
  'confirmed split': ['split brain'],
  deposed: ['depose the primary of the table', 'depose the primary of the table', 'flush', 'start a process'],
};

/** Two heirs of one row, where skips have lanes. */
const OF_HEIRS: readonly FaultName[] = ['promote two standbys of the table', 'flush', 'start a process'];

/** Faults that would void what is guaranteed in a seed of each kind. */
const LEFT_OUT: Readonly<Record<Special, RegExp | undefined>> = {
  clocks: undefined,
  // A new process knows nothing: only those that were there know.
  'wound back': /^(restore the table|(kill|close|start) a process)$/,
  'both forget': /^(restore the table|(kill|close|start) a process)$/,
  // Other losses would hide the effect of the split.
  'split bookings':
    /^(flush|lose a hash|restart .*|fail over|demote|restore the table|(kill|close) a process)$/,
  'sent again': /^restore the table$/,
  // A new generation would reject late segments.
  'late installs': /^(flush|lose a hash|restart .*|fail over|demote|split brain|restore the table)$/,
  'copied hash': /^restore the table$/,
  // The same, and a process that remembers nothing is less likely to meet both sides.
  'confirmed split':
    /^(flush|lose a hash|restart .*|fail over|demote|restore the table|(kill|close) a process)$/,
  // A copy of the disk could be of a former primary.
  deposed: /^restore the table$/,
};

/** Draws from a separate stream, so that other seeds stay as they are. */
export function specialOf(seed: number): Special | undefined {
  const random = new Random(seed, 'special');
  if (random.chance(SHARES.first)) {
    return random.pick(['clocks', 'wound back', 'both forget', 'split bookings'] as const);
  }
  if (new Random(seed, 'sent again').chance(SHARES.sentAgain)) return 'sent again';
  if (new Random(seed, 'late installs').chance(SHARES.lateInstalls)) return 'late installs';
  if (new Random(seed, 'copied hash').chance(SHARES.copiedHash)) return 'copied hash';
  if (new Random(seed, 'deposed').chance(SHARES.deposed)) return 'deposed';
  return new Random(seed, 'confirmed split').chance(SHARES.confirmedSplit) ? 'confirmed split' : undefined;
}

/** The faults of a special seed: those drawn for every seed, and those that it is about. */
export function specialFaults(
  seed: number,
  special: Special,
  { after }: TablePlan,
  runMs: number,
  drawn: PlannedFault[],
) {
  const random = new Random(seed, 'special faults');
  const mix = special === 'deposed' && typeof after.afterFailover === 'object' ? OF_HEIRS : MIXES[special];
  const rates = new Map(mix.map((name) => [name, 1]));
  const often = !['clocks', 'wound back', 'both forget', 'confirmed split'].includes(special);
  const gapMs = often ? random.magnitude(5, 50) : random.magnitude(30, 400);
  const more = scatterFaults(random, { runMs, rates, gapMs, echo: 0, from: drawn.length });
  return [...drawn, ...more].filter(({ name }) => LEFT_OUT[special]?.test(name) !== true);
}

/** Whether former primaries are refused for so short a time in a seed about them that some outlast it. */
export function isReinstated({ seed }: Pick<DrawnPlan, 'seed'>): boolean {
  return new Random(seed, 'reinstated').chance(0.5);
}

/** The table of a special seed, whose settings replace those that it drew. */
export function specialTable(special: Special | undefined, plan: DrawnPlan, table: TablePlan): TablePlan {
  if (special !== 'deposed') return table;
  const { minStep, maxStep } = plan.options;
  // More than a former primary reserves before it is gone; and little above what is raised, so that a former
  // primary that is raised comes into what its successor issues. But not where it is reinstated: who then
  // leaves it raises a successor that nobody knew.
  const afterFailover = 1_000 * maxStep;
  const isLong = isReinstated(plan);
  const hasHeirs = isLong && new Random(plan.seed, 'heirs').chance(0.5);
  const skip = hasHeirs ? { base: afterFailover, perSecond: 0 } : afterFailover;
  const after = { afterFailover: skip, afterRestore: isLong ? skip : minStep };
  return { ...table, guard: 'full', oldRows: false, after };
}

/** The settings of a special seed, which replace those that it drew. */
export function specialSettings(seed: number, special: Special | undefined, plan: DrawnPlan): DrawnPlan {
  if (special === 'sent again') return { ...plan, resends: true, maxResends: 20, lossyShare: 0.5 };
  const random = new Random(seed, 'special settings');
  if (special === 'late installs') {
    const { options, demand } = plan;
    const lockMs = Math.round(random.magnitude(10, 60));
    const minStep = Math.round(random.magnitude(20, 60));
    return {
      ...plan,
      tableMs: 2,
      options: { ...options, lockMs, minStep, maxStep: minStep },
      demand: { ...demand, thinkMs: 4 },
    };
  }
  if (special === 'confirmed split') {
    // Either all replicas go to the new primary, or one of three stays with the old one; two must confirm.
    const replicas = random.pick([1, 3]);
    const minStep = Math.round(random.magnitude(50, 500));
    return {
      ...plan,
      replicas,
      spare: true,
      splitBrain: true,
      // The old primary has ids left when the new one gets its first segment.
      options: { ...plan.options, minStep, maxStep: minStep * 3, waitReplicas: Math.ceil(replicas / 2) },
      processes: random.between(4, 8),
      demand: { ...plan.demand, thinkMs: random.magnitude(4, 20) },
      tableMs: random.magnitude(2, 20),
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
    // A slow table: bookings wait for segments when the split begins, and the segments of the two sides
    // arrive out of order.
    options: { minStep, maxStep: minStep * 3, lockMs, deadlineMs: 5_000, waitReplicas: 1 },
    sequences: plan.sequences.slice(0, 1),
    // On each side, several processes wait for the segment that another one fetches.
    processes: random.between(8, 12),
    demand: { ...plan.demand, callers: random.between(1, 2), thinkMs: random.magnitude(4, 20) },
    tableMs: random.magnitude(2, 200),
  };
}
