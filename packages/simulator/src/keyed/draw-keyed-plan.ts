import { httpFaultsOf, httpPlanOf } from '../http/http-plan.js';
import { Random } from '../random.js';
import { clusterFaultsOf, clusterPlanOf } from '../world/cluster-plan.js';
import { FAULT_GROUPS, scatterFaults } from '../world/planned-faults.js';
import {
  GIVEN_BACK,
  type KeyedFault,
  type KeyedFaultName,
  type KeyedPlan,
  type KeyedSpecial,
  OLD_DUMP,
  RECORD_LOSSES,
  ROW_FAULTS,
  TABLE_FAULTS,
} from './keyed-plan.js';

export interface KeyedPlanChanges {
  /** Milliseconds of virtual time under load. */
  readonly runMs?: number | undefined;
  readonly processes?: number | undefined;
  /** Positions, from 0, of the faults to keep, to minimise a failure. All by default. */
  readonly only?: ReadonlySet<number> | undefined;
}

/** The share of seeds over Redis. */
const OVER_REDIS = 0.7;

export function keyedPlanOf(seed: number, { runMs, processes, only }: KeyedPlanChanges = {}): KeyedPlan {
  const random = new Random(seed, 'keyed plan');
  const overRedis = random.chance(OVER_REDIS);
  const common = drawCommon(seed, random, runMs);
  const drawn = overRedis ? withClocks(drawOverRedis(common, random)) : drawOverTable(common, random);
  const plan = withHttp(withGiveBack(withGrowth(drawn)));
  return {
    ...plan,
    processes: processes ?? plan.processes,
    faults: plan.faults.filter(({ position }) => only?.has(position) ?? true),
  };
}

/** The share of seeds in which skips grow, of those that allow for an old dump. */
const GROWING = 0.2;

function withGrowth(plan: KeyedPlan): KeyedPlan {
  const random = new Random(plan.seed, 'growing skips of keys');
  if (plan.special !== undefined || plan.untraced || plan.rest !== undefined || !random.chance(GROWING))
    return plan;
  const { runMs, faults } = plan;
  const rates = new Map([[OLD_DUMP, 1]] as const);
  const gapMs = random.magnitude(100, 1_000);
  const more = scatterFaults(random, { runMs, rates, gapMs, echo: 0, from: faults.length });
  return {
    ...plan,
    perSecond: random.pick([1, 1, 20]),
    // What a former primary may reserve is reckoned without growth.
    faults: [...faults.filter(({ name }) => name !== 'depose the primary'), ...more],
  };
}

/** The share of seeds in which the leadership is given back, of those without Redis. */
const GIVING_BACK = 0.2;

function withGiveBack(plan: KeyedPlan): KeyedPlan {
  const random = new Random(plan.seed, 'leadership of keys');
  if (
    plan.redis !== undefined ||
    plan.untraced ||
    plan.perSecond !== undefined ||
    !random.chance(GIVING_BACK)
  )
    return plan;
  const { runMs, faults } = plan;
  const gapMs = random.magnitude(100, 600);
  const rates = new Map([[GIVEN_BACK, 1]] as const);
  const more = scatterFaults(random, { runMs, rates, gapMs, echo: 0, from: faults.length });
  const rows: readonly string[] = ROW_FAULTS;
  return {
    ...plan,
    givesBack: true,
    // More than a former primary reserves before it is gone, or whoever never met its successor afterwards.
    skips: { afterFailover: 10_000, afterRestore: 10_000 },
    // So that there are lanes.
    perSecond: 0,
    faults: [...faults.filter(({ name }) => !rows.includes(name)), ...more],
  };
}

/** The share of seeds in which servers issue the ids of most processes, of those without Redis. */
const OVER_HTTP = 0.3;

function withHttp(plan: KeyedPlan): KeyedPlan {
  const { seed, runMs, redis, untraced, faults } = plan;
  const http = redis === undefined && !untraced ? httpPlanOf(seed, OVER_HTTP) : undefined;
  if (http === undefined) return plan;
  return { ...plan, http, faults: [...faults, ...httpFaultsOf(seed, runMs, faults.length)] };
}

/** The share of seeds about the clocks of leases, of those over one Redis without subject. */
const CLOCKS = 0.05;

function withClocks(plan: KeyedPlan): KeyedPlan {
  const random = new Random(plan.seed, 'clocks of leases');
  const { runMs, faults, redis, special, cluster, rest } = plan;
  if (redis === undefined || (special ?? cluster ?? rest) !== undefined || !random.chance(CLOCKS))
    return plan;
  const rates = new Map([['kill a process', 1] as const, ['step the clock of a server', 1] as const]);
  const gapMs = random.magnitude(100, 400);
  const more = scatterFaults(random, { runMs, rates, gapMs, echo: 0, from: faults.length });
  // A slow table: who is killed holds leases, which the clock then puts far into the future.
  return { ...plan, tableMs: 400, redis: { ...redis, lockMs: 3_000 }, faults: [...faults, ...more] };
}

type CommonPlan = ReturnType<typeof drawCommon>;

/** What every seed draws. */
function drawCommon(seed: number, random: Random, runMs: number | undefined) {
  const keys = random.between(4, 25);
  const drawnMs = random.magnitude(1_500, 6_000);
  const skip = () => random.pick([100, 300, 2_000, 10_000]);
  return {
    seed,
    runMs: runMs ?? drawnMs,
    processes: random.between(2, 4),
    keys: Array.from({ length: keys }, (_, i) => `k${i}`),
    startAfter: random.pick([0, 0, 500, 10 ** 12, 9_007_190_000_000_000]),
    callers: random.between(2, 8),
    thinkMs: random.magnitude(3, 40),
    aborts: random.pick([0, 0, 0.1]),
    triggers: random.chance(0.5),
    firstXact: random.pick([1_000, 2 ** 32 - 20, 3 * 2 ** 32 - 5]),
    skips: { afterFailover: skip(), afterRestore: skip() },
    perSecond: undefined,
    givesBack: false,
    http: undefined,
    drift: 0.02,
    timerLag: random.pick([0, 1, 20]),
    tableMs: 2,
  };
}

/** Connections to Redis that nobody uses. */
const NO_REDIS = {
  redis: undefined,
  special: undefined,
  rest: undefined,
  cluster: undefined,
  replicas: 0,
  spare: false,
  splitBrain: false,
  writableReplicas: false,
  resends: true,
  maxResends: 20,
  reconnectsOnReadonly: false,
  cpuTickUs: 1,
  slowMs: 10,
  slowShare: 0,
  lossyShare: 0,
  loss: 0,
};

function drawOverTable(common: CommonPlan, random: Random): KeyedPlan {
  const untraced = random.chance(0.08);
  const maxStep = random.pick([3, 10, 40]);
  const kinds = untraced ? (['put the disk back', 'slow the table'] as const) : undefined;
  return {
    ...common,
    ...NO_REDIS,
    options: { maxStep, deadlineMs: random.pick([400, 1_000, 3_000]), waitReplicas: 0 },
    batches: untraced ? 0.5 : random.pick([0, 0.1, 0.4]),
    largestBatch: (untraced ? 8 : 2) * maxStep,
    untraced,
    faults: drawFaults(random, common.runMs, kinds ?? some(random, 0.4, [...ROW_FAULTS, ...TABLE_FAULTS])),
  };
}

function drawOverRedis(common: CommonPlan, random: Random): KeyedPlan {
  const special = random.chance(0.4) ? random.pick(Object.keys(SPECIALS) as KeyedSpecial[]) : undefined;
  const cluster = special === undefined ? clusterPlanOf(common.seed) : undefined;
  const drawnReplicas = random.pick([0, 0, 1, 1, 2]);
  const replicas = special === 'confirmed split' ? 1 : (cluster?.replicas ?? drawnReplicas);
  const splits = special === undefined ? replicas > 0 && random.chance(0.4) : special === 'confirmed split';
  const splitBrain = cluster?.partitions ?? splits;
  const minStep = random.pick([1, 2, 2, 10]);
  const maxStep = minStep * random.pick([1, 4, 100]);
  const maxIdsLost = random.chance(0.4) ? Math.ceil(minStep * random.magnitude(1.5, 20)) : undefined;
  const confirmed = replicas > 0 && (splitBrain ? random.chance(0.6) : random.chance(0.3)) ? replicas : 0;
  const waitReplicas = cluster?.waitReplicas ?? confirmed;
  const lockMs = Math.round(random.magnitude(10, 3_000));
  const idleMs = special === undefined ? random.pick([0, 0, 1_000, 2_500]) : 0;
  const rest =
    special === undefined && random.chance(0.1)
      ? { atMs: common.runMs * random.next(), ms: random.pick([3_000, 130_000]) }
      : undefined;
  const gaps = special && SPECIALS[special].gaps;
  const drawn = drawFaults(random, common.runMs, redisFaults(random, special, splitBrain), gaps);
  const ofCluster = cluster === undefined ? [] : clusterFaultsOf(common.seed, common.runMs, drawn.length);
  const faults: readonly KeyedFault[] = [...drawn, ...ofCluster];
  const plan: KeyedPlan = {
    ...common,
    runMs: common.runMs + (rest?.ms ?? 0),
    options: { maxStep, maxIdsLost, waitReplicas, deadlineMs: Math.round(random.magnitude(500, 5_000)) },
    redis: { minStep, lockMs, idleMs: idleMs || undefined },
    special,
    rest,
    cluster,
    replicas,
    spare: splitBrain && cluster === undefined && random.chance(0.5),
    splitBrain,
    writableReplicas: random.chance(0.2),
    resends: random.chance(0.8),
    maxResends: random.pick([1, 20, 20]),
    reconnectsOnReadonly: random.chance(0.5),
    cpuTickUs: random.pick([1, 1, 4_000]),
    slowMs: random.magnitude(10, 400),
    slowShare: random.pick([0, 0.3, 0.6]),
    lossyShare: random.pick([0, 0, 0.3, 0.6]),
    loss: random.magnitude(0.02, 0.9),
    tableMs: random.chance(0.4) ? 2 : random.magnitude(10, 400),
    batches: random.pick([0, 0.1, 0.4]),
    largestBatch: Math.min(2 * maxStep, 80, maxIdsLost ?? Number.POSITIVE_INFINITY),
    untraced: false,
    faults: faults.map((fault) =>
      rest !== undefined && fault.atMs > rest.atMs ? { ...fault, atMs: fault.atMs + rest.ms } : fault,
    ),
  };
  return special === undefined ? plan : withSettings(special, plan);
}

/** The settings of a special seed, which replace those that it drew. */
function withSettings(special: KeyedSpecial, plan: KeyedPlan): KeyedPlan {
  // So that each process uses each key.
  const few = { ...plan, keys: plan.keys.slice(0, 3), thinkMs: Math.min(plan.thinkMs, 15) };
  switch (special) {
    case 'both forget':
      // Whoever asks first skips what others may have had.
      return { ...few, keys: plan.keys.slice(0, 1), skips: { ...plan.skips, afterRestore: 10_000 } };
    case 'deposed':
      // More than a former primary reserves before it is gone; and little above what is raised, so that a
      // former primary that is raised comes into what its successor issues.
      return { ...few, skips: { afterFailover: 10_000, afterRestore: 2 } };
    case 'sent again':
      return { ...few, resends: true, maxResends: 20, lossyShare: 0.5 };
    case 'confirmed split': {
      // Long segments: the old primary has ids left when the new one gets its first segment. Or a slow table:
      // the split begins while a segment is on its way.
      const minStep = 50 * (plan.redis?.minStep ?? 1);
      const isLong = minStep > 50;
      const steps = isLong ? { maxStep: 3 * minStep, maxIdsLost: undefined } : { maxStep: 10 };
      return {
        ...few,
        processes: 4,
        callers: 8,
        thinkMs: 5,
        spare: true,
        tableMs: isLong ? 10 : Math.max(100, plan.tableMs),
        redis: plan.redis && (isLong ? { ...plan.redis, minStep } : plan.redis),
        options: { ...few.options, ...steps, waitReplicas: plan.replicas, deadlineMs: 5_000 },
      };
    }
    default:
      return few;
  }
}

/** The milliseconds between two faults, on average: from, to. */
type Gaps = readonly [least: number, most: number];

/** What each special subject is about, and what it leaves out: faults that would void what is guaranteed. */
const SPECIALS: Readonly<
  Record<
    KeyedSpecial,
    { readonly about: readonly KeyedFaultName[]; readonly without?: RegExp; readonly gaps?: Gaps }
  >
> = {
  // A new process knows nothing: only those that were there know.
  'wound back': { about: ['wind back a record'], without: /^(kill|close|start) a process$/ },
  'both forget': { about: ['lose records and rows'], without: /^(kill|close|start) a process$/ },
  'rows back': { about: ['put rows back', 'kill a process', 'start a process'] },
  // Whoever forgets what it knew of the successor, asks the former primary.
  deposed: {
    about: ['depose the primary', 'lose the family', 'flush', 'start a process', 'kill a process'],
    gaps: [15, 120],
  },
  'sent again': {
    about: ['flush', 'lose a record', 'lose the family', 'lose replies', 'reset all connections'],
    gaps: [5, 50],
  },
  // A process that remembers nothing is less likely to meet both sides.
  'confirmed split': {
    about: ['split brain'],
    without: /^(flush|lose .*|copy .*|restart .*|fail over|demote|(kill|close) a process)$/,
  },
};

function redisFaults(
  random: Random,
  special: KeyedSpecial | undefined,
  splitBrain: boolean,
): readonly KeyedFaultName[] {
  const { network, servers, table, processes } = FAULT_GROUPS;
  const drawn: KeyedFaultName[] = [
    ...some(random, random.pick([0.2, 0.5]), RECORD_LOSSES),
    ...some(random, random.pick([0, 0.3]), network),
    ...some(random, random.pick([0, 0.3]), servers),
    ...some(
      random,
      random.pick([0, 0.3]),
      table.filter((name) => name !== 'restore the table'),
    ),
    ...some(random, random.pick([0, 0.4]), processes),
    ...some(random, random.pick([0, 0.4]), ROW_FAULTS),
    ...(splitBrain ? (['split brain'] as const) : []),
  ];
  if (drawn.includes('restart from a dump')) drawn.push('save a dump');
  if (special === undefined) return drawn;
  const { about, without } = SPECIALS[special];
  const rows: readonly string[] = ROW_FAULTS;
  // Whatever else forgets would hide what it is about.
  const others = drawn.filter(
    (name) => without?.test(name) !== true && !rows.includes(name) && random.chance(0.5),
  );
  return [...others, ...about];
}

function some<Name extends string>(random: Random, share: number, names: readonly Name[]): Name[] {
  return names.filter(() => random.chance(share));
}

/** Each kind has a rate of its own. */
function drawFaults(
  random: Random,
  runMs: number,
  kinds: readonly KeyedFaultName[],
  [least, most]: Gaps = [40, 800],
): KeyedFault[] {
  const rates = new Map(kinds.map((name) => [name, random.magnitude(0.3, 3)]));
  const gapMs = random.magnitude(least, most);
  const echo = random.pick([0, 0, 0.7]);
  return scatterFaults(random, { runMs, rates, gapMs, echo, from: 0 });
}
