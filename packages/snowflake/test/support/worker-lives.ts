import { formatOf, type IdFormat } from '../../src/ids/id-format.js';
import { type LayoutName, layoutOf } from '../../src/ids/layout.js';
import { LeasedIds } from '../../src/worker/leased-ids.js';
import { type Clocks, WORKER_AHEAD_MS, WorkerTime } from '../../src/worker/worker-time.js';
import { Random } from './random.js';

/** What may happen in a run, and which guards are off. */
export interface WorkerRunOptions {
  readonly layout: LayoutName;
  /** How far the clock is set back now and then, in milliseconds, while the process runs. */
  readonly setBackMs?: number;
  /**
   * Whether a process also starts while the clock is behind what an earlier one saw: the documented limit.
   */
  readonly startsBehind?: boolean;
  /** By how many milliseconds the clocks that a process sees at its start are behind. */
  readonly behindAtStart?: number;
  /**
   * The system's clock as a process sees it afterwards. `steady` is one which was never set back in its life,
   * and lives are counted from 1.
   */
  readonly clockOfLife?: (now: number, steady: number, life: number) => number;
}

export interface WorkerRunResult {
  readonly ids: number;
  readonly repeats: number;
  /** The furthest that a stamp was ahead of the system's clock, in milliseconds. */
  readonly ahead: number;
  /** How often no id was there. */
  readonly shortages: number;
}

interface Generator {
  readonly leased: LeasedIds<unknown>;
  readonly format: IdFormat<unknown>;
}

const STEPS = 400;
const WORKER = 3;
const GENERATORS = 3;

/** One run: processes one after the other with the same worker, on clocks that the seed decides. */
function runLives(seed: number, options: WorkerRunOptions): WorkerRunResult {
  const random = new Random(seed);
  const named = layoutOf(options.layout);
  // Few, so that bursts get as far ahead of the clock as they may.
  const layout = { ...named, sequenceBits: named.unitMs === 1 ? 0 : 6 };
  const used = new Set<string>();
  let [real, offset, highestEver] = [layout.epoch + 1e9, 0, 0];
  let [ids, repeats, ahead, shortages, lives] = [0, 0, 0, 0, 0];
  const system = (): number => Math.floor(real + offset);

  function start(): Generator[] {
    let [starting, furthest] = [true, Number.NEGATIVE_INFINITY];
    const { behindAtStart = 0, clockOfLife = (now) => now } = options;
    const life = ++lives;
    const clocks: Clocks = {
      monotonic: () => (starting ? real - 2 * behindAtStart : real),
      system: () => {
        furthest = Math.max(furthest, offset);
        if (starting) return system() - behindAtStart;
        return clockOfLife(system(), Math.floor(real + furthest), life);
      },
    };
    const idClock = (): bigint => BigInt(Math.floor(real * 1e6));
    const time = new WorkerTime({ layout, worker: WORKER, clocks });
    starting = false;
    return Array.from({ length: GENERATORS }, () => {
      const format = formatOf('bigint', layout);
      return { format, leased: new LeasedIds({ layout, worker: WORKER, format, clocks, idClock }, time) };
    });
  }

  function note(found: readonly unknown[]): void {
    for (const one of found) {
      const id = String(one);
      ids += 1;
      if (used.has(id)) repeats += 1;
      used.add(id);
      const stamp = Number(BigInt(id) >> BigInt(layout.slotBits + layout.sequenceBits)) * layout.unitMs;
      ahead = Math.max(ahead, layout.epoch + stamp - system());
    }
    highestEver = Math.max(highestEver, system());
  }

  function take({ leased, format }: Generator): void {
    if (random.chance(0.3)) {
      const count = 1 + random.below(random.pick([10, 60, 600]) ?? 1);
      if (!leased.prepare(count)) shortages += 1;
      else note(batch(leased, format, count));
      return;
    }
    for (let burst = random.chance(0.1) ? 50 : 1; burst > 0; burst--) {
      let sequence = leased.tryTake();
      if (sequence < 0) {
        if (!leased.prepare(1)) {
          shortages += 1;
          return;
        }
        sequence = leased.takeRange(1).low;
      }
      note([format.id(sequence)]);
    }
  }

  let generators = start();
  for (let step = 0; step < STEPS; step++) {
    const x = random.next();
    if (x < 0.01) {
      real += random.below(3) * random.below(300);
      // The clock of the machine that it starts on is not behind that of the one before.
      if (options.startsBehind !== true && system() < highestEver) offset += highestEver - system();
      generators = start();
    } else if (x < 0.02 && options.setBackMs !== undefined) offset -= random.below(options.setBackMs);
    else if (x < 0.03 && offset < 0) offset = 0;
    else if (x < 0.2) real += random.below(random.chance(0.2) ? 1_500 : 20);
    else {
      const generator = random.pick(generators);
      if (generator !== undefined) take(generator);
    }
  }
  return { ids, repeats, ahead, shortages };
}

/** `count` ids, which were prepared. */
function batch(leased: LeasedIds<unknown>, format: IdFormat<unknown>, count: number): unknown[] {
  const ids: unknown[] = [];
  while (ids.length < count) {
    const { low, high } = leased.takeRange(count - ids.length);
    for (let sequence = low; sequence <= high; sequence++) ids.push(format.id(sequence));
  }
  return ids;
}

/** The results of many runs together, until one repeats an id. */
export function runManyLives(runs: number, options: WorkerRunOptions): WorkerRunResult {
  let [ids, repeats, ahead, shortages] = [0, 0, 0, 0];
  for (let seed = 1; seed <= runs && repeats === 0; seed++) {
    const run = runLives(seed, options);
    ids += run.ids;
    repeats += run.repeats;
    ahead = Math.max(ahead, run.ahead);
    shortages += run.shortages;
  }
  return { ids, repeats, ahead, shortages };
}

/** Code that begins at the clock of its start, not as far above it as a process before may have been. */
export const withoutTheWait: Partial<WorkerRunOptions> = { behindAtStart: WORKER_AHEAD_MS };
/** Code that runs further ahead of the clock than those who follow count with. */
export const withoutTheBound: Partial<WorkerRunOptions> = {
  clockOfLife: (now, _, life) => (life % 2 === 0 ? now : now + 500),
};
/** Code that does not follow a clock that is set back, whatever the distance. */
export const withoutLookingBack: Partial<WorkerRunOptions> = { clockOfLife: (_, steady) => steady };
