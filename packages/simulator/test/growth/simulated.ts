import type { PipelineLike, RedisLike } from '@ids/segment-redis-db';
import { Random } from '../../src/random.js';
import { installPlatform } from '../../src/time/platform.js';
import { Scheduler } from '../../src/time/scheduler.js';
import { Trace } from '../../src/trace.js';
import { planOf } from '../../src/world/draw-plan.js';
import type { Plan } from '../../src/world/plan.js';
import { World } from '../../src/world/world.js';
import { CALLERS, type Cost, type Load, percentile } from './load.js';

const SEED = 1;
/** Virtual milliseconds before what is counted, in which the processes start and steps grow with demand. */
const WARM_UP_MS = 1_000;

/**
 * A calm world: no faults, even connections, the product's own defaults, and a caller that
 * asks again after `thinkMs`.
 */
function calmPlan({ processes, sequences }: Load, runMs: number, thinkMs: number): Plan {
  const plan = planOf(SEED, { processes, sequences, runMs });
  return {
    ...plan,
    uses: new Map(plan.sequences.map((name) => [name, 'redis'])),
    replicas: 0,
    startAfter: 0,
    options: { minStep: 100, maxStep: 1_000_000, lockMs: 3_000, deadlineMs: 10_000, waitReplicas: 0 },
    drift: 0,
    timerLag: 0,
    slowShare: 0,
    lossyShare: 0,
    tableMs: 2,
    splitBrain: false,
    demand: { callers: CALLERS, thinkMs, batches: 0, largestBatch: 1, bursts: 0, aborts: 0 },
    faults: [],
  };
}

/**
 * Plays `load` for `runMs` of virtual time. Processes and servers are as fast as
 * nothing: only ways take time.
 */
export async function simulate(load: Load, runMs: number, thinkMs: number): Promise<Cost> {
  const scheduler = new Scheduler();
  let [scripts, reservations] = [0, 0];
  class Counting extends Trace {
    override add(...[who, what, command]: Parameters<Trace['add']>): void {
      if (/^table \S+ reserves /.test(what)) reservations++;
      super.add(who, what, command);
    }
  }
  const trace = new Counting(() => scheduler.now, { keep: false });
  const counted = (client: RedisLike): RedisLike => ({
    evalsha: (...args) => {
      scripts++;
      return client.evalsha(...args);
    },
    eval: (...args) => client.eval(...args),
    pipeline: (): PipelineLike => client.pipeline(),
  });
  const uninstall = installPlatform(scheduler, new Random(SEED, 'platform'));
  try {
    const world = new World(calmPlan(load, WARM_UP_MS + runMs, thinkMs), scheduler, trace, { wrap: counted });
    for (let i = 0; i < load.processes; i++) world.startProcess();
    await scheduler.run(WARM_UP_MS);
    [scripts, reservations] = [0, 0];
    await scheduler.run(WARM_UP_MS + runMs);
    const waits = world.processes.flatMap((process) =>
      world.plan.sequences.flatMap((name) =>
        (process.calls(name)?.history.records ?? [])
          .filter(({ complete }) => complete >= WARM_UP_MS * 1e6)
          .map(({ invoke, complete }) => (complete - invoke) / 1e6),
      ),
    );
    waits.sort((a, b) => a - b);
    const [p50, p99] = [percentile(waits, 0.5), percentile(waits, 0.99)];
    return { ...load, ids: waits.length, scripts, reservations, seconds: runMs / 1_000, p50, p99 };
  } finally {
    uninstall();
  }
}
