import { httpFaultsOf, httpPlanOf } from '../http/http-plan.js';
import { Random } from '../random.js';
import { drawTablePlan, type TablePlan, withGrowth, withStandby } from '../table/table-plan.js';
import { clusterFaultsOf, clusterPlanOf } from './cluster-plan.js';
import {
  type Demand,
  type DrawnPlan,
  drawUse,
  MOST_GENERATORS,
  type Plan,
  type SequenceUse,
  type Special,
} from './plan.js';
import {
  FAULT_GROUPS,
  type FaultName,
  OLD_DUMP,
  type PlannedFault,
  scatterFaults,
  TABLE_FAULTS,
} from './planned-faults.js';
import { specialFaults, specialOf, specialSettings, specialTable } from './special-plan.js';

export interface PlanChanges {
  /** Milliseconds of virtual time under load. */
  readonly runMs?: number | undefined;
  readonly processes?: number | undefined;
  readonly sequences?: number | undefined;
  /** Positions, from 0, of the faults to keep, to minimise a failure. All by default. */
  readonly only?: ReadonlySet<number> | undefined;
}

/** The share of seeds without a Cluster and a subject in which some processes reserve over HTTP. */
const OVER_HTTP = 0.15;

/**
 * Draws a plan. Each seed has its own mix of faults (swarm testing): most faults do not occur in it, the
 * others have individual rates, since equally likely faults would hide each other.
 */
export function planOf(seed: number, changes: PlanChanges = {}): Plan {
  const random = new Random(seed, 'plan');
  const runMs = changes.runMs ?? random.magnitude(1_000, 4_000);
  const replicas = random.pick([0, 0, 1, 1, 2]);
  const minStep = Math.round(random.magnitude(5, 200));
  const splitBrain = replicas > 0 && random.chance(0.25);
  const cluster = clusterPlanOf(seed);
  const special = cluster === undefined ? specialOf(seed) : undefined;
  const drawnPlan: DrawnPlan = {
    seed,
    runMs,
    processes: random.between(2, 5),
    sequences: Array.from({ length: random.pick([1, 1, 1, 2]) }, (_, i) => `s${i + 1}`),
    startAfter: new Random(seed, 'start').pick(STARTS),
    replicas: cluster?.replicas ?? replicas,
    options: {
      minStep,
      maxStep: minStep * random.pick([1, 1, 10, 1_000]),
      lockMs: Math.round(random.magnitude(10, 3_000)),
      deadlineMs: Math.round(random.magnitude(500, 5_000)),
      waitReplicas: replicas > 0 && random.chance(0.3) ? replicas : 0,
      ...(cluster && { waitReplicas: cluster.waitReplicas }),
    },
    resends: random.chance(0.8),
    maxResends: random.pick([1, 20, 20]),
    reconnectsOnReadonly: random.chance(0.5),
    cpuTickUs: random.pick([1, 1, 4_000]),
    drift: random.pick([0, 0, 0.0005, 0.05]),
    timerLag: random.pick([0, 1, 1, 20]),
    slowMs: random.magnitude(10, 400),
    slowShare: random.pick([0, 0.3, 0.5, 0.7]),
    lossyShare: random.pick([0, 0, 0.3, 0.6]),
    loss: random.magnitude(0.02, 0.9),
    tableMs: random.chance(0.4) ? 2 : random.magnitude(10, 400),
    splitBrain: cluster?.partitions ?? splitBrain,
    cluster,
    special,
    spare: false,
    writableReplicas: new Random(seed, 'read-only').chance(0.2),
    demand: {
      callers: random.between(1, 6),
      thinkMs: random.magnitude(4, 60),
      batches: random.pick([0, 0, 0.1, 0.4]),
      largestBatch: Math.round(random.magnitude(2, minStep)),
      bursts: random.pick([0, 0.2, 0.6]),
      aborts: random.pick([0, 0, 0.1]),
    },
  };
  const plan = patientPlan(specialSettings(seed, special, drawnPlan));
  const drawnTable = drawTablePlan(new Random(seed, 'table plan'), plan.options.maxStep);
  // Special seeds are about Redis.
  const table =
    special === undefined
      ? withStandby(seed, withGrowth(seed, drawnTable))
      : specialTable(special, plan, drawnTable);
  const synchronous = table.synchronous !== undefined;
  const drawn = drawFaults(random, runMs, splitBrain);
  const http = cluster === undefined && special === undefined ? httpPlanOf(seed, OVER_HTTP) : undefined;
  const direct = faultsOf(plan, table, drawn);
  const ofHttp = http === undefined ? [] : httpFaultsOf(seed, runMs, direct.length);
  const faults = [...direct, ...ofHttp].filter(({ position }) => changes.only?.has(position) ?? true);
  const { processes = plan.processes, sequences = plan.sequences.length } = changes;
  const names = Array.from({ length: sequences }, (_, i) => `s${i + 1}`);
  const maxIdsLost = drawMaxIdsLost(seed, plan.options.minStep);
  const demand = special === undefined ? withBulk(seed, plan.demand, maxIdsLost) : plan.demand;
  return {
    ...plan,
    options: { ...plan.options, maxIdsLost },
    demand:
      changes.sequences === undefined
        ? demand
        : atMost(demand, Math.min(processes * sequences, MOST_GENERATORS)),
    processes,
    sequences: names,
    uses: new Map(names.map((name) => [name, useOf(seed, name, special, synchronous)])),
    table,
    faults,
    http,
  };
}

/** Most special seeds are about Redis. */
function useOf(seed: number, name: string, special: Special | undefined, synchronous: boolean): SequenceUse {
  if (special !== undefined && special !== 'deposed') return 'redis';
  return drawUse(seed, name, synchronous || special === 'deposed');
}

/** The faults: those drawn for every seed, and those that its kind of seed adds. */
function faultsOf(
  { seed, runMs, cluster, special }: DrawnPlan,
  table: TablePlan,
  drawn: PlannedFault[],
): PlannedFault[] {
  const { after, synchronous } = table;
  if (special !== undefined) return specialFaults(seed, special, table, runMs, drawn);
  const ofCluster = cluster === undefined ? [] : clusterFaultsOf(seed, runMs, drawn.length);
  const ofTable = drawTableFaults(new Random(seed, 'table faults'), runMs, drawn.length + ofCluster.length);
  const faults = [...drawn, ...ofCluster, ...ofTable];
  if (synchronous !== undefined) {
    const random = new Random(seed, 'standby faults');
    return [...faults, ...drawStandbyFaults(random, runMs, faults.length)];
  }
  if (typeof after.afterRestore !== 'object') return faults;
  return [...faults, ...drawOldDumps(new Random(seed, 'old dumps'), runMs, faults.length)];
}

/** From the minimum for the step, or no bound. */
function drawMaxIdsLost(seed: number, minStep: number): number | undefined {
  const random = new Random(seed, 'ids lost');
  return random.chance(0.4) ? Math.ceil(minStep * random.magnitude(1.5, 10)) : undefined;
}

/**
 * The maximum number of calls per virtual second, of all generators together, if a number of sequences is
 * given.
 */
const MOST_CALLS_PER_SECOND = 20_000;

/** Slows callers down if there are so many generators that a run would take too long. */
function atMost(demand: Demand, generators: number): Demand {
  const leastMs = (generators * demand.callers * 1_000) / MOST_CALLS_PER_SECOND;
  return { ...demand, thinkMs: Math.max(demand.thinkMs, leastMs) };
}

/** The share of seeds with large batches, often larger than a segment. */
const BULK = 0.1;

/** Draws from a separate stream, so that other seeds stay as they are. */
function withBulk(seed: number, demand: Demand, maxIdsLost = Number.POSITIVE_INFINITY): Demand {
  const random = new Random(seed, 'bulk');
  if (!random.chance(BULK)) return demand;
  const largestBatch = Math.round(random.magnitude(500, 5_000));
  // A whole batch must fit into the memory of a process.
  return { ...demand, batches: 0.3, largestBatch: Math.min(largestBatch, maxIdsLost) };
}

/** From zero, from where Lua formats numbers with an exponent, and from near the last id. */
const STARTS = [0, 0, 0, 99_999_999_999_900, 9_007_190_000_000_000];

/** The probability that a seed has faults of a group. */
const SHARES: Readonly<Record<keyof typeof FAULT_GROUPS, number>> = {
  losses: 0.9,
  network: 0.8,
  table: 0.6,
  servers: 0.3,
  processes: 0.5,
};

function drawFaults(random: Random, runMs: number, splitBrain: boolean): PlannedFault[] {
  const rates = new Map<FaultName, number>();
  for (const [group, names] of Object.entries(FAULT_GROUPS)) {
    if (!random.chance(SHARES[group as keyof typeof FAULT_GROUPS])) continue;
    for (let kinds = random.pick([1, 1, 2, 3]); kinds > 0; kinds--) {
      const name = random.pick<FaultName>(names);
      if (splitBrain || name !== 'split brain')
        rates.set(name, random.magnitude(group === 'losses' ? 1 : 0.3, 6));
    }
  }
  // A restart from a dump needs a dump.
  if (rates.has('restart from a dump')) rates.set('save a dump', 1);
  const gapMs = random.magnitude(15, 300);
  const echo = random.pick([0, 0.5, 0.9]);
  return scatterFaults(random, { runMs, rates, gapMs, echo, from: 0 });
}

/** The share of seeds with faults of the table's servers. */
const TABLE_FAULTS_SHARE = 0.4;

/**
 * Faults that expose a change of the table's history: Redis and processes then know less than the table
 * issued.
 */
const FORGETTERS: readonly FaultName[] = ['flush', 'kill a process', 'close a process', 'start a process'];

/**
 * Draws the faults of a synchronous standby, and faults that make others forget what the old primary knew.
 */
function drawStandbyFaults(random: Random, runMs: number, from: number): PlannedFault[] {
  const rates = new Map<FaultName, number>([
    ['give up on the standby', 3],
    ['slow the standby', 1],
    ['promote a standby of the table', 1],
    [random.pick(FORGETTERS), 2],
    ['flush', 2],
  ]);
  return scatterFaults(random, { runMs, rates, gapMs: random.magnitude(50, 400), echo: 0, from });
}

/** Draws restores of old dumps, beside whom Redis and processes know less than was issued. */
function drawOldDumps(random: Random, runMs: number, from: number): PlannedFault[] {
  const rates = new Map<FaultName, number>([
    [OLD_DUMP, 2],
    [random.pick(FORGETTERS), 1],
  ]);
  return scatterFaults(random, { runMs, rates, gapMs: random.magnitude(100, 1_000), echo: 0, from });
}

/** Draws the faults of the table's servers; `position` is that of the first one. */
function drawTableFaults(random: Random, runMs: number, position: number): PlannedFault[] {
  if (!random.chance(TABLE_FAULTS_SHARE)) return [];
  const names = random.chance(0.5) ? TABLE_FAULTS : [random.pick(TABLE_FAULTS), random.pick(TABLE_FAULTS)];
  const forgetters = random.chance(0.7) ? [random.pick(FORGETTERS), random.pick(FORGETTERS)] : [];
  const gapMs = random.magnitude(50, 1_000);
  const faults: PlannedFault[] = [];
  const add = (atMs: number, name: FaultName) => {
    const [who, strength, length] = [random.next(), random.next(), random.next()];
    faults.push({ position: position + faults.length, atMs, name, who, strength, length });
  };
  for (let atMs = random.next() * gapMs; atMs < runMs; atMs += -Math.log(1 - random.next()) * gapMs) {
    add(atMs, random.pick(names));
    for (const name of forgetters) add(Math.max(0, atMs + (random.next() - 0.5) * 100), name);
  }
  return faults;
}

/** A node that lost the slot answers only after WAIT, which no replica of it may end before its limit. */
const REDIRECTED_MS = 1_200;

/** Calls that a node may redirect, and that replicas must confirm, wait long enough for both. */
function patientPlan(plan: DrawnPlan): DrawnPlan {
  if (plan.cluster === undefined || plan.options.waitReplicas === 0) return plan;
  const deadlineMs = Math.max(plan.options.deadlineMs, REDIRECTED_MS);
  return { ...plan, options: { ...plan.options, deadlineMs } };
}
