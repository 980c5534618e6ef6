import type { Anatomy } from '../anatomy/anatomy.js';
import type { BenchCase } from '../bench-case.js';
import type { LoopTrial } from '../measure/closed-loop.js';
import type { OpenLoopMeasure } from '../measure/open-loop.js';
import type { SyncTrial } from '../measure/sync-bursts.js';
import type { OrderResult } from '../order/judge-order.js';
import type { UniquenessResult } from '../result.js';
import { WorkRecord } from './work-record.js';

/** What has been measured of one case so far. It fills up during the run, so that a run can stop at any point. */
export class CaseRecord extends WorkRecord<BenchCase> {
  readonly sync: (SyncTrial | null)[] = [];
  readonly loops: (LoopTrial | null)[] = [];
  readonly openLoops: (readonly OpenLoopMeasure[] | null)[] = [];
  uniqueness: UniquenessResult | undefined;
  order: OrderResult | undefined;
  anatomy: Anatomy | undefined;
}
