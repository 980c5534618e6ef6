import type { Id } from '@ids/core';
import type { CaseEnvironment, Preparable } from '../../bench-case.js';
import { InvalidOutput } from '../../measure/validate.js';
import type { ProbeCase } from '../claim.js';
import { nowNs, settledMedian } from './timed-blocks.js';

/**
 * Calls per caller and timed burst: enough that its beginning and end, when fewer callers wait, hardly count.
 */
const ROUNDS = 40;
/** For some fifty bursts of 256 callers in a full run. */
const PATIENCE = 2.5;

interface CallersCase extends Preparable {
  readonly callers: number;
  open(environment: CaseEnvironment): Promise<{ next(): Promise<Id>; close(): Promise<void> }>;
}

/** So many callers, each of which asks again as soon as it was served. Figure: `perCall`, time over calls. */
export function callersProbe({ callers, open, ...parts }: CallersCase): ProbeCase {
  return {
    ...parts,
    patience: PATIENCE,
    async open(environment) {
      const { next, close } = await open(environment);
      const rounds = Math.max(ROUNDS, Math.ceil(25 / callers));
      let last: Id[] = [];
      const burst = async () => {
        const ids: Id[] = [];
        const caller = async () => {
          for (let round = 0; round < rounds; round++) ids.push(await next());
        };
        const start = nowNs();
        await Promise.all(Array.from({ length: callers }, caller));
        const took = Number(nowNs() - start);
        last = ids;
        return took / ids.length;
      };
      return {
        async measure(ms) {
          const perCall = await settledMedian(burst, ms);
          const different = new Set(last).size;
          if (different !== callers * rounds) {
            throw new InvalidOutput(`${callers * rounds} calls gave ${different} different ids`);
          }
          return { perCall };
        },
        close,
      };
    },
  };
}
