import { isIdError } from '@ids/core';
import { InvalidOutput } from '../../measure/validate.js';
import type { ProbeCase } from '../claim.js';

interface CeilingCase<T> {
  readonly name: string;
  /** Ids of one format in one second. */
  readonly maxIdsPerSecond: number;
  /** Issues an id, or throws `ERR_IDS_EXHAUSTED`. */
  open(): Promise<() => T>;
  /** Whether `id` lies above the one before it. */
  readonly above: (id: T, before: T) => boolean;
}

/**
 * A loop that never pauses, until it is refused. The clock is held, so that however slow the machine
 * is, the loop is above the ceiling. Each id is compared with the one before: where all rise, none
 * repeats. Figures: `seconds`, how many seconds' worth of ids were issued; `notRising`, how many ids
 * did not lie above the one before.
 */
export function ceilingProbe<T>({ name, maxIdsPerSecond, open, above }: CeilingCase<T>): ProbeCase {
  return {
    name,
    backends: [],
    exact: true,
    patience: 20,
    async open() {
      const issue = await open();
      return {
        async measure() {
          const held = Date.now();
          const clock = Date.now;
          Date.now = () => held;
          try {
            let before = issue();
            let issued = 1;
            let notRising = 0;
            const refused = untilRefused(() => {
              const id = issue();
              if (!above(id, before)) notRising++;
              before = id;
              issued++;
            });
            if (refused !== 'ERR_IDS_EXHAUSTED') throw new InvalidOutput(`it was refused with ${refused}`);
            return { seconds: Math.ceil((100 * issued) / maxIdsPerSecond) / 100, notRising };
          } finally {
            Date.now = clock;
          }
        },
        close: async () => {},
      };
    },
  };
}

function untilRefused(step: () => void): string {
  for (;;) {
    try {
      step();
    } catch (error) {
      if (!isIdError(error)) throw error;
      return error.code;
    }
  }
}
