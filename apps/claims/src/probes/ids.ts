import {
  type CaseEnvironment,
  type ControlCase,
  IDS_PER_CALL,
  InvalidOutput,
  measureUses,
  type Subject,
  USES,
  type Use,
} from '@ids/bench/measure';
import { type Id, isIdError } from '@ids/core';
import { median } from 'simple-statistics';
import type { ProbeCase } from './probe.js';

type Ids = Pick<ControlCase, 'name' | 'format' | 'maxIdsPerSecond' | 'missing'> & {
  open(environment: CaseEnvironment): Promise<Subject>;
};

const INSERTED_IDS = 5_000;

/** What is done with each id. */
const STRING_USES = {
  raw: USES.raw,
  /** One character is read, which flattens a rope. */
  flattened: {
    run(nextSync) {
      let sum = 0;
      for (let i = 0; i < IDS_PER_CALL; i++) sum += (nextSync() as string).charCodeAt(0);
      if (Number.isNaN(sum)) throw new InvalidOutput('an id was the empty string');
    },
  },
  asMapKey: USES.asMapKey,
  /** It is added to a Set that grows to 5,000. */
  inserted: {
    ids: INSERTED_IDS,
    run(nextSync) {
      const inserted = new Set<Id>();
      for (let i = 0; i < INSERTED_IDS; i++) inserted.add(nextSync());
      if (inserted.size < INSERTED_IDS) throw new InvalidOutput('an id was given twice');
    },
  },
} satisfies Record<string, Use>;

export type UseName = keyof typeof STRING_USES;

/**
 * `nextSync`, measured as in `bench`. Figures: one for each use, `flattened` and `inserted` for strings only.
 */
export function idsProbe(ids: Ids): ProbeCase {
  const uses = ids.format.idType === 'string' ? STRING_USES : USES;
  return {
    name: ids.name,
    backends: [],
    ...(ids.missing !== undefined && { missing: ids.missing }),
    async open(environment) {
      const subject = await ids.open(environment);
      await subject.ready?.();
      return {
        async measure(ms) {
          const calls = Number.MAX_SAFE_INTEGER;
          const ns = await measureUses(subject, ids, { calls, maxMs: ms / Object.keys(uses).length }, uses);
          return Object.fromEntries(Object.entries(ns).map(([use, times]) => [use, median([...times])]));
        },
        close: () => subject.close(),
      };
    },
  };
}

interface CeilingCase<T> {
  readonly name: string;
  /** The limit of the format in one process. */
  readonly maxIdsPerSecond: number;
  /** Issues an id, or throws `ERR_IDS_EXHAUSTED`. */
  open(): Promise<() => T>;
  /** Whether `id` is above the previous one. */
  readonly above: (id: T, before: T) => boolean;
}

/**
 * A loop that never pauses, until an id is refused. The clock is stopped, so that the loop exceeds the limit
 * on any machine. Each id is compared with the previous one: if all increase, none repeats. Figures:
 * `seconds`, how many seconds' worth of ids were issued; `notRising`, how many ids were not above the
 * previous one.
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
