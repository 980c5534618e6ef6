// A strategy for `--strategy`: nextSync answers at once, next() serves one call per millisecond at most.
const guarantees = {
  unique: 'cluster',
  order: { process: 'none', cluster: 'none' },
  gaps: 'on-restart',
  sync: true,
  idType: 'string',
  text: { pattern: /^\d+\/\d+$/, maxLength: 30, sortable: false },
  backends: [],
  discloses: [],
};

export const comparedWith = ['nanoid'];

export const strategy = {
  name: 'waits-in-turn',
  options: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
  optionNames: [],
  guarantees: () => guarantees,
  async create() {
    let last = 0;
    let turn = Promise.resolve();
    const nextSync = () => `${process.pid}/${++last}`;
    const nextBatchSync = (count) => Array.from({ length: count }, nextSync);
    const inTurn = (answer) => {
      turn = turn.then(() => new Promise((resolve) => setTimeout(resolve, 1)));
      return turn.then(answer);
    };
    return {
      strategy: 'waits-in-turn',
      guarantees,
      nextSync,
      nextBatchSync,
      next: () => inTurn(nextSync),
      nextBatch: (count) => inTurn(() => nextBatchSync(count)),
      ready: async () => {},
      health: () => ({ status: 'ok' }),
      close: async () => {},
    };
  },
};
