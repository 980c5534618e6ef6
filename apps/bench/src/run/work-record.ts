import type { Anatomy } from '../anatomy/anatomy.js';
import type { BenchCase, Preparable } from '../bench-case.js';
import type { LoopTrial } from '../measure/closed-loop.js';
import type { OpenLoopMeasure } from '../measure/open-loop.js';
import type { SyncTrial } from '../measure/sync-bursts.js';
import type { OrderResult } from '../order/judge-order.js';
import type { CaseStatus, UniquenessResult } from '../result.js';
import { WorkerError } from '../worker/worker-process.js';

/** Something that steps are run for, and the first trouble that it had. */
export class WorkRecord<C extends Preparable = Preparable> {
  readonly benchCase: C;
  #trouble: { readonly status: CaseStatus; readonly reason: string } | undefined;

  constructor(benchCase: C) {
    this.benchCase = benchCase;
  }

  get name(): string {
    return this.benchCase.name;
  }

  /** Whether it is still worth measuring. */
  get sound(): boolean {
    return this.#trouble === undefined;
  }

  get status(): CaseStatus {
    return this.#trouble?.status ?? 'ok';
  }

  get reason(): string | undefined {
    return this.#trouble?.reason;
  }

  /** The first trouble stays. */
  stop(status: CaseStatus, reason: string): void {
    this.#trouble ??= { status, reason };
  }

  /** Notes what a worker did wrong; throws whatever else it is. */
  blame(error: unknown, phase: string): void {
    if (!(error instanceof WorkerError)) throw error;
    this.stop(error.invalid ? 'invalid' : 'failed', `${phase}: ${error.message}`);
  }
}

/**
 * What has been measured of one case so far. It fills up during the run, so that a run can stop at any point.
 */
export class CaseRecord extends WorkRecord<BenchCase> {
  readonly sync: (SyncTrial | null)[] = [];
  readonly loops: (LoopTrial | null)[] = [];
  readonly openLoops: (readonly OpenLoopMeasure[] | null)[] = [];
  uniqueness: UniquenessResult | undefined;
  order: OrderResult | undefined;
  anatomy: Anatomy | undefined;
}
