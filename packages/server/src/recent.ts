/** How the recent past is divided: five minutes. */
const STEPS = 60;
const STEP_SECONDS = 5;
const STEP_MS = STEP_SECONDS * 1_000;
/** Over how many steps the present rate is taken: a minute. */
const RATE_STEPS = 12;

/** The last of `steps` goes on: it ends `stepSeconds` after its start. */
export interface RecentReading {
  /** Over the last minute, or since the start if that is later. */
  readonly idsPerSecond: number;
  readonly stepSeconds: number;
  /** Ids that clients got in each step, the earliest first. */
  readonly ids: number[];
  /** Refills that were noticed in each step. */
  readonly refills: number[];
}

interface Step {
  readonly number: number;
  ids: number;
  refills: number;
}

/** What happened in the recent past, without a timer. Times are readings of a monotonic clock. */
export class Recent {
  readonly #steps: Step[] = [];
  readonly #startMs: number;
  readonly #total: () => number;
  #refills: number;

  /** `refills` returns how many there were so far. It is asked once in each step. */
  constructor(refills: () => number, nowMs: number) {
    this.#total = refills;
    this.#refills = refills();
    this.#startMs = nowMs;
  }

  add(ids: number, nowMs: number): void {
    const number = Math.floor(nowMs / STEP_MS);
    const last = this.#steps.at(-1);
    if (last?.number === number) {
      last.ids += ids;
      return;
    }
    this.#countRefills();
    this.#steps.push({ number, ids, refills: 0 });
    while ((this.#steps[0] as Step).number <= number - STEPS) this.#steps.shift();
  }

  /** Those since the last time belong to the last step with ids. */
  #countRefills(): void {
    const last = this.#steps.at(-1);
    if (last === undefined) return;
    const total = this.#total();
    last.refills += total - this.#refills;
    this.#refills = total;
  }

  read(nowMs: number): RecentReading {
    this.#countRefills();
    const first = Math.floor(nowMs / STEP_MS) - STEPS + 1;
    const [ids, refills] = [new Array<number>(STEPS).fill(0), new Array<number>(STEPS).fill(0)];
    for (const step of this.#steps) {
      if (step.number < first) continue;
      ids[step.number - first] = step.ids;
      refills[step.number - first] = step.refills;
    }
    const sinceMs = Math.max(this.#startMs, (first + STEPS - RATE_STEPS) * STEP_MS);
    const counted = ids.slice(-RATE_STEPS).reduce((sum, count) => sum + count, 0);
    const idsPerSecond = counted / Math.max(1, (nowMs - sinceMs) / 1_000);
    return { idsPerSecond, stepSeconds: STEP_SECONDS, ids, refills };
  }
}
