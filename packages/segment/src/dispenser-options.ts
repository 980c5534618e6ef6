import { shownValue } from '@ids/core/strategy';
import * as v from 'valibot';
import type { AdaptiveStepOptions } from './adaptive-step.js';
import type { IdTypeName } from './id-format.js';
import type { SegmentListener } from './segment-event.js';
import { MAX_STEP } from './segment-size.js';
import { isSequenceName, SEQUENCE_NAME_RULE } from './sequence-name.js';
import { largestStepWithin } from './step-bounds.js';

/** The options of every strategy that dispenses ids from segments. */
export interface DispenserOptions {
  /** The sequence, created once with `createSequence`. */
  readonly name: string;
  /**
   * The least ids to reserve at once, 1 to 10^9; default 1,000. A restart wastes up to one
   * and a half reservations.
   */
  readonly minStep?: number | undefined;
  /**
   * The most ids to reserve at once, `minStep` to 10^9; default 1,000,000. Equal to `minStep`: a fixed step.
   */
  readonly maxStep?: number | undefined;
  /**
   * The most ids that may be reserved and not given at any moment, from one and a half of `minStep` on: what
   * is lost when they are all lost. The step stays at or below two thirds of it. No bound by default.
   */
  readonly maxIdsLost?: number | undefined;
  /** The type of the ids; default `number`, which is exact up to the last id, 2^53 - 1. */
  readonly as?: IdTypeName | undefined;
  /** How long a call may wait for an id, in milliseconds, 1 to 86,400,000 (a day); default 5,000. */
  readonly deadlineMs?: number | undefined;
  /** Called with what happens behind the generator. What it throws becomes a process warning. */
  readonly onEvent?: SegmentListener | undefined;
}

/** The same with their defaults filled in. */
export interface ParsedDispenserOptions extends DispenserOptions {
  readonly minStep: number;
  readonly maxStep: number;
  readonly as: IdTypeName;
  readonly deadlineMs: number;
}

const DAY_MS = 86_400_000;

/** A whole number of `unit`s, both bounds accepted. */
export function wholeNumber(min: number, max: number, unit?: string) {
  const rule = `must be a whole number ${unit === undefined ? '' : `of ${unit} `}from ${min} to ${max}`;
  return v.custom<number>(
    (value) => typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max,
    ({ input }) => `${rule}, got ${shownValue(input)}`,
  );
}

/** For `onEvent`, of a strategy whose events are of its own. */
export function listenerOption<Listener extends (event: never) => void>() {
  return v.optional(
    v.custom<Listener>(
      (value) => typeof value === 'function',
      ({ input }) => `must be a function, got ${shownValue(input)}`,
    ),
  );
}

/** Their schema, by name; `stepProblem` says what their combination must be. */
export const dispenserOptions = {
  name: v.custom<string>(
    isSequenceName,
    ({ input }) => `must be ${SEQUENCE_NAME_RULE}, got ${shownValue(input)}`,
  ),
  minStep: v.optional(wholeNumber(1, MAX_STEP), 1_000),
  maxStep: v.optional(wholeNumber(1, MAX_STEP), 1_000_000),
  maxIdsLost: v.optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
  as: v.optional(
    v.custom<IdTypeName>(
      (value) => value === 'number' || value === 'bigint' || value === 'string',
      ({ input }) => `must be "number", "bigint" or "string", got ${shownValue(input)}`,
    ),
    'number',
  ),
  deadlineMs: v.optional(wholeNumber(1, DAY_MS), 5_000),
  onEvent: listenerOption<SegmentListener>(),
};

/** What keeps validated options from making an `AdaptiveStep`. */
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
