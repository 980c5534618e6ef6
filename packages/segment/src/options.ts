import { ruleMessage } from '@ids/core/strategy';
import { isSequenceName, SEQUENCE_NAME_RULE } from '@ids/store';
import { DAY_MS, listenerOption, wholeNumber } from '@ids/waiting';
import * as v from 'valibot';
import { type AdaptiveStepOptions, largestStepWithin } from './adaptive-step.js';
import type { SegmentListener } from './events.js';
import type { IdTypeName } from './id-format.js';
import { MAX_STEP } from './segment.js';

/** The options of every strategy that issues the ids of a sequence. */
export interface SequenceOptions {
  /** The sequence, created once with `createSequence`. */
  readonly name: string;
  /**
   * The fewest ids to reserve at once, 1 to 10^9; default 1,000. A restart loses up to one and a half
   * reservations.
   */
  readonly minStep?: number | undefined;
  /**
   * The most ids to reserve at once, `minStep` to 10^9; default 1,000,000. Equal to `minStep`: a fixed step.
   */
  readonly maxStep?: number | undefined;
  /**
   * The most ids that may be reserved but not issued at any moment, which a crash loses. At least one and a
   * half times `minStep`; the step is at most two thirds of it. No limit by default.
   */
  readonly maxIdsLost?: number | undefined;
  /** The type of the ids; default `number`, which is exact up to the last id, 2^53 - 1. */
  readonly as?: IdTypeName | undefined;
  /** How long a call may wait for an id, in milliseconds, 1 to 86,400,000 (a day); default 5,000. */
  readonly deadlineMs?: number | undefined;
  /**
   * How long a former primary of the database is refused, in milliseconds, 1 to 86,400,000 (a day);
   * default 60,000. If it still answers after that, and nothing was seen of its successor meanwhile, it is
   * the primary again: `afterFailover` and `afterRestore` ids are skipped above all that is known. Longer
   * than any manager takes to fence a former primary; calls fail for as long.
   */
  readonly refuseFormerPrimaryMs?: number | undefined;
  /** Called with what happens inside the generator. If it throws, that becomes a process warning. */
  readonly onEvent?: SegmentListener | undefined;
}

/** The same, with defaults. */
export interface ParsedSequenceOptions extends SequenceOptions {
  readonly minStep: number;
  readonly maxStep: number;
  readonly as: IdTypeName;
  readonly deadlineMs: number;
}

/** Their schemas, by name; `stepProblem` checks how they combine. */
export const sequenceOptions = {
  name: v.custom<string>(isSequenceName, ruleMessage(`must be ${SEQUENCE_NAME_RULE}`)),
  minStep: v.optional(wholeNumber(1, MAX_STEP), 1_000),
  maxStep: v.optional(wholeNumber(1, MAX_STEP), 1_000_000),
  maxIdsLost: v.optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
  as: v.optional(
    v.custom<IdTypeName>(
      (value) => value === 'number' || value === 'bigint' || value === 'string',
      ruleMessage('must be "number", "bigint" or "string"'),
    ),
    'number',
  ),
  deadlineMs: v.optional(wholeNumber(1, DAY_MS), 5_000),
  refuseFormerPrimaryMs: v.optional(wholeNumber(1, DAY_MS, 'milliseconds')),
  onEvent: listenerOption<SegmentListener>(),
};

/** Why options that are valid one by one do not make an `AdaptiveStep`; undefined if they do. */
export function stepProblem({ minStep, maxStep, maxIdsLost }: AdaptiveStepOptions): string | undefined {
  if (minStep > maxStep) {
    return `option "minStep": must be at most "maxStep", got ${minStep} with a "maxStep" of ${maxStep}`;
  }
  if (maxIdsLost !== undefined && minStep > largestStepWithin(maxIdsLost)) {
    const least = Math.ceil(minStep * 1.5);
    return (
      `option "maxIdsLost": must be at least ${least}, one and a half times "minStep" (${minStep}), got ${maxIdsLost}; ` +
      'raise it or lower "minStep"'
    );
  }
  return undefined;
}
