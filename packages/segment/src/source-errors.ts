import { IdError } from '@ids/core';
import { LAST_ID } from './segment.js';

/** The errors that every segment source reports in the same words. */

export function noSuchSequence(name: string, where: string): IdError {
  return new IdError(
    'ERR_IDS_CONFIG',
    `there is no sequence ${JSON.stringify(name)} in ${where}; create it once with createSequence`,
  );
}

export function sequenceExhausted(name: string, size: number, cause?: unknown): IdError {
  return new IdError(
    'ERR_IDS_EXHAUSTED',
    `sequence ${JSON.stringify(name)}: fewer than ${size} ids are left up to the last one, ${LAST_ID}`,
    { cause },
  );
}

export function jumpTooFar(name: string, maxId: number, floor: number, maxJump: number): IdError {
  return new IdError(
    'ERR_IDS_REGRESSED',
    `sequence ${JSON.stringify(name)} stands at ${maxId}, but ids up to ${floor} were reserved before: more than the ` +
      `${maxJump} that are mended without being asked; find out why it went back, then use setFloor`,
  );
}

/**
 * A sequence was not at the `expectedMaxId` of a reservation, so nothing was reserved. The same call
 * can succeed with `maxId`.
 */
export class SequenceMovedError extends IdError {
  /** Where the sequence is. */
  readonly maxId: number;

  constructor(name: string, expectedMaxId: number, maxId: number) {
    super(
      'ERR_IDS_UNAVAILABLE',
      `sequence ${JSON.stringify(name)} is at ${maxId}, not at ${expectedMaxId} as expected: nothing was reserved`,
    );
    this.maxId = maxId;
  }
}
