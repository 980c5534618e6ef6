import type { Guarantees, IdGenerator, IdStrategy } from '../src/index.js';
import { memoryGenerator, type StandardSchemaV1 } from '../src/strategy.js';

export const COUNTER_GUARANTEES: Guarantees = {
  unique: 'process',
  order: { process: 'increasing', cluster: 'none' },
  gaps: 'on-restart',
  sync: true,
  idType: 'number',
  text: { pattern: /^[0-9]+$/, maxLength: 16, sortable: false },
  backends: [],
  discloses: ['volume'],
};

export interface CounterOptions {
  readonly startAt: number;
}

/** A schema by hand, to show that the contract needs no schema library. */
const counterOptions: StandardSchemaV1<Partial<CounterOptions>, CounterOptions> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => {
      const { startAt = 1 } = value as Partial<CounterOptions>;
      if (Number.isSafeInteger(startAt)) return { value: { startAt } };
      return {
        issues: [{ message: `expected a whole number, got ${JSON.stringify(startAt)}`, path: ['startAt'] }],
      };
    },
  },
};

export function counterStrategy<const Name extends string>(
  name: Name,
): IdStrategy<Name, Partial<CounterOptions>, CounterOptions, IdGenerator<number>> {
  return {
    name,
    options: counterOptions,
    optionNames: ['startAt'],
    guarantees: () => COUNTER_GUARANTEES,
    create: async ({ startAt }) => {
      let next = startAt;
      return memoryGenerator({ strategy: name, guarantees: COUNTER_GUARANTEES, issue: () => next++ });
    },
  };
}
