import type { Guarantees, IdGenerator, IdStrategy, SyncIdGenerator } from '@ids/core';
import { memoryGenerator, type StandardSchemaV1 } from '@ids/core/strategy';

/**
 * Requires some options and accepts anything for them: these tests are about the
 * config around the strategies.
 */
export function requiring<Options>(
  ...required: (keyof Options & string)[]
): StandardSchemaV1<Partial<Options>, Options> {
  return {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value) => {
        const missing = required.filter((option) => (value as Options)[option] === undefined);
        if (missing.length === 0) return { value: value as Options };
        return { issues: missing.map((option) => ({ message: 'is required', path: [option] })) };
      },
    },
  };
}

const LOCAL: Guarantees = {
  unique: 'cluster',
  order: { process: 'increasing', cluster: 'k-sorted', skewMs: 1000 },
  gaps: 'on-restart',
  sync: true,
  idType: 'string',
  text: {
    pattern: /^l[0-9]+$/,
    prefix: 'l',
    alphabet: '0123456789',
    minLength: 2,
    maxLength: 17,
    sortable: false,
  },
  backends: [],
  discloses: ['time'],
};

/** A strategy without backends. */
export const local: IdStrategy<'local', { prefix?: string }, { prefix?: string }, SyncIdGenerator<string>> = {
  name: 'local',
  options: requiring(),
  optionNames: ['prefix'],
  guarantees: () => LOCAL,
  create: async ({ prefix = 'l' }) => {
    let next = 1;
    return memoryGenerator({ strategy: 'local', guarantees: LOCAL, issue: () => `${prefix}${next++}` });
  },
};

/** A strategy whose rows are sequences of a table, each by key with `keyed`. */
export const counting = {
  ...local,
  name: 'counting',
  options: requiring(),
  optionNames: ['name', 'database', 'table', 'keyed'],
  store: ({ name, table = 'id_segment', keyed }: Record<string, unknown>) => ({
    name,
    table,
    rows: 'sequences',
    position: {},
    ...(keyed === true && { byKey: true }),
  }),
} as unknown as IdStrategy;

/** One whose rows are something else. */
export const leasing = {
  ...counting,
  name: 'leasing',
  store: ({ table = 'id_slot' }: Record<string, unknown>) => ({ table, rows: 'slots' }),
} as unknown as IdStrategy;

interface SharedOptions {
  readonly name: string;
  readonly redis: unknown;
  readonly database: unknown;
}

const SHARED: Guarantees = {
  ...LOCAL,
  order: { process: 'increasing', cluster: 'real-time' },
  idType: 'number',
  text: { pattern: /^[1-9][0-9]*$/, alphabet: '0123456789', minLength: 1, maxLength: 16, sortable: false },
  backends: ['redis', 'sql'],
};

/**
 * A strategy with backends that remembers what it was opened with. A database called `down` cannot be opened.
 */
export function sharedStrategy() {
  const opened: { options: SharedOptions; generator: IdGenerator<number> }[] = [];
  const strategy: IdStrategy<'shared', Partial<SharedOptions>, SharedOptions, IdGenerator<number>> = {
    name: 'shared',
    options: requiring('name', 'redis', 'database'),
    optionNames: ['name', 'redis', 'database'],
    guarantees: () => ({ ...SHARED, sync: false }),
    create: async (options) => {
      if (options.database === 'down') throw new Error('no database answers');
      let next = 1;
      const generator = memoryGenerator({ strategy: 'shared', guarantees: SHARED, issue: () => next++ });
      opened.push({ options, generator });
      return generator;
    },
  };
  return { strategy, opened };
}
