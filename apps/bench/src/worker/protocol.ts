import type { CaseEnvironment } from '../bench-case.js';
import type { Figures } from '../claims/claim.js';
import type { SoakAnswer, SoakRequest } from '../faults/soak.js';
import type { LoopRequest, LoopTrial } from '../measure/closed-loop.js';
import type { OpenLoopMeasure, OpenLoopRequest } from '../measure/open-loop.js';
import type { SyncRequest, SyncTrial } from '../measure/sync-bursts.js';
import type { OrderRequest, OrderTrace } from '../order/record-order.js';
import type { IssueAnswer, IssueRequest } from '../uniqueness/issue-ids.js';
import type { CheckAnswer, CheckRequest } from '../uniqueness/partitions.js';

/** What a worker can be asked for, and what it answers. */
export interface Jobs {
  sync: { request: SyncRequest; answer: SyncTrial };
  loop: { request: LoopRequest; answer: LoopTrial };
  open: { request: OpenLoopRequest; answer: OpenLoopMeasure[] };
  soak: { request: SoakRequest; answer: SoakAnswer };
  issue: { request: IssueRequest; answer: IssueAnswer };
  check: { request: CheckRequest; answer: CheckAnswer };
  order: { request: OrderRequest; answer: OrderTrace };
  /** `ms` is about how long to measure. */
  probe: { request: { readonly ms: number }; answer: Figures };
}

export type JobKind = keyof Jobs;

/** The case that a worker opens for its job. */
export interface SubjectRef {
  readonly casesUrl: string;
  readonly name: string;
  readonly environment: CaseEnvironment;
}

/** The first message to a worker. */
export type Assignment = {
  [K in JobKind]: {
    readonly kind: K;
    readonly request: Jobs[K]['request'];
    readonly subject?: SubjectRef;
  };
}[JobKind];

/** After the assignment: `go`, once all workers of a group are ready. */
export type ToWorker =
  | { readonly type: 'assignment'; readonly assignment: Assignment }
  | { readonly type: 'go' };

export type FromWorker =
  | { readonly type: 'ready' }
  | { readonly type: 'answer'; readonly answer: unknown }
  | { readonly type: 'failed'; readonly invalid: boolean; readonly message: string };
