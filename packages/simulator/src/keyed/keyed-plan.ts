import type { HttpPlan } from '../http/http-plan.js';
import type { BasePlan } from '../world/base-plan.js';
import type { ClusterFaultName, HTTP_FAULTS, PlannedFault } from '../world/planned-faults.js';
import type { SharedFault } from '../world/shared-faults.js';

/** What may go wrong with the rows of keys. */
export const ROW_FAULTS = [
  'promote a standby',
  'depose the primary',
  'restore a dump',
  'restore the keys only',
  'copy the successor to the deposed',
  'lock a key',
  'delete a key',
  'write by hand',
] as const;

/** What may go wrong with the table and the processes, where Redis is not used. */
export const TABLE_FAULTS = [
  'lose replies of the table',
  'slow the table',
  'stall the table',
  'stop the table',
  'kill a process',
  'start a process',
] as const;

/** What may make Redis forget. */
export const RECORD_LOSSES = [
  'lose a record',
  'lose the family',
  'copy a record',
  'flush',
  'restart empty',
  'restart from a dump',
  'fail over',
  'demote',
] as const;

/** What is only drawn where skips grow with what may be lost. */
export const OLD_DUMP = 'restore an old dump';

/** What is only drawn where servers have lanes. */
export const GIVEN_BACK = 'give the leadership back';

/** Faults of special seeds only. */
const SPECIAL_FAULTS = [
  'put the disk back',
  'wind back a record',
  'lose records and rows',
  'put rows back',
] as const;

export type KeyedFaultName =
  | SharedFault
  | ClusterFaultName
  | (typeof ROW_FAULTS)[number]
  | (typeof RECORD_LOSSES)[number]
  | typeof OLD_DUMP
  | typeof GIVEN_BACK
  | (typeof HTTP_FAULTS)[number]
  | (typeof SPECIAL_FAULTS)[number];

export type KeyedFault = PlannedFault<KeyedFaultName>;

/**
 * The subject of a special seed, a combination that chance alone rarely produces: a record of a running
 * Redis that is wound back; Redis and rows that forget at the same time; rows that go back without a trace,
 * while Redis knows how far their keys are; a primary of the table that still answers beside its successor,
 * while Redis forgets who followed whom; commands that are resent after losses; split brain, with replicas
 * that must confirm.
 */
export type KeyedSpecial =
  | 'wound back'
  | 'both forget'
  | 'rows back'
  | 'deposed'
  | 'sent again'
  | 'confirmed split';

/** Everything that a seed decides before its run begins. */
export interface KeyedPlan extends BasePlan {
  /** The keys that callers use; most are born while faults strike. */
  readonly keys: readonly string[];
  readonly startAfter: number;
  readonly options: BasePlan['options'] & { readonly maxStep: number };
  /** Undefined if each process reserves in the table for the calls that wait. */
  readonly redis:
    | { readonly minStep: number; readonly lockMs: number; readonly idleMs: number | undefined }
    | undefined;
  readonly special: KeyedSpecial | undefined;
  /** From when on, and how long, nobody calls, so that all is forgotten that has a time limit. */
  readonly rest: { readonly atMs: number; readonly ms: number } | undefined;
  readonly callers: number;
  readonly thinkMs: number;
  /** The probability that a call is a batch, and the most ids in one. */
  readonly batches: number;
  readonly largestBatch: number;
  readonly aborts: number;
  readonly triggers: boolean;
  readonly firstXact: number;
  /** How many ids of a key are skipped after each kind of change, at least. */
  readonly skips: { readonly afterFailover: number; readonly afterRestore: number };
  /** How many more for each second that its family may have lost; undefined if skips do not grow. */
  readonly perSecond: number | undefined;
  /** Whether a former primary becomes the primary again, and its standby follows it once more. */
  readonly givesBack: boolean;
  /**
   * Whether the disk is put back to an earlier state, which leaves no trace. Ids may then repeat, but not
   * within one call, which knows what it got.
   */
  readonly untraced: boolean;
  /** Undefined if no process is served by servers of ids. */
  readonly http: HttpPlan | undefined;
  readonly faults: readonly KeyedFault[];
}
