// A strategy as a user of `--strategy` writes one: options by process, and a control of its choice.
const guarantees = {
  unique: 'cluster',
  order: { process: 'increasing', cluster: 'none' },
  gaps: 'on-restart',
  maxIdsLost: 0,
  sync: true,
  idType: 'number',
  text: { pattern: /^\d+$/, alphabet: '0123456789', minLength: 1, maxLength: 16, sortable: false },
  backends: [],
  discloses: ['volume'],
};

export const strategy = {
  name: 'own-counter',
  options: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
  optionNames: ['start'],
  guarantees: () => guarantees,
  async create({ start }) {
    // All workers of a run begin together: their ranges must not meet, whichever processes they are.
    let last = start * 2 ** 40 + (process.pid % 2 ** 22) * 2 ** 18;
    const many = (count) => Array.from({ length: count }, () => ++last);
    return {
      strategy: 'own-counter',
      guarantees,
      nextSync: () => ++last,
      nextBatchSync: many,
      next: async () => ++last,
      nextBatch: async (count) => many(count),
      ready: async () => {},
      health: () => ({ status: 'ok' }),
      close: async () => {},
    };
  },
};

export const options = ({ processIndex }) => ({ start: processIndex });
export const comparedWith = ['nanoid'];
