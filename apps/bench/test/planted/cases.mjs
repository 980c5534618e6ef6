// Strategies that do one thing wrong each, and one that does nothing wrong. Plain JavaScript, because
// workers import it as it is.
const counting = () => {
  let last = 0;
  return () => ++last;
};

/** Ids that differ between processes: `<pid>/<count>`. */
const honest = () => {
  const next = counting();
  return () => `${process.pid}/${next()}`;
};

function strategy(name, makeNext, claims = {}) {
  const guarantees = {
    unique: 'cluster',
    order: { process: 'increasing', cluster: 'none' },
    gaps: 'never',
    sync: true,
    idType: 'string',
    text: { pattern: /^\d+\/\d+$/, maxLength: 30, sortable: false },
    backends: [],
    discloses: [],
    ...claims,
  };
  return {
    kind: 'strategy',
    name,
    guarantees,
    backends: guarantees.backends,
    format: guarantees,
    comparedWith: ['counter'],
    async open(environment) {
      const next = makeNext(environment);
      const many = (count) => Array.from({ length: count }, next);
      return {
        nextSync: next,
        nextBatchSync: many,
        next: async () => next(),
        nextBatch: async (count) => many(count),
        close: async () => {},
      };
    },
  };
}

/** Ends when several processes ask at the same time, after the figures of one process were measured. */
function endsMidway({ processIndex }) {
  const next = honest();
  return () => {
    if (processIndex === 1) throw new Error('the backend has ended');
    return next();
  };
}

/** Takes a few microseconds. */
function work() {
  const until = process.hrtime.bigint() + 3_000n;
  while (process.hrtime.bigint() < until);
}

/** Makes the first ids from a store that was filled before anybody asked. */
function madeInAdvance() {
  const make = honest();
  const store = Array.from({ length: 200_000 }, make).reverse();
  return () => {
    const id = store.pop();
    if (id !== undefined) return id;
    work();
    return make();
  };
}

/** Slow while a trial warms up, since it also fills a store, and fast from that store while it measures. */
function fillsWhileWarming() {
  const make = honest();
  let calls = 0;
  return () => {
    calls += 1;
    // As if the first calls made the ids of the next ones as well, until the store is empty.
    const madeBefore = calls > 1_000 && calls <= 150_000;
    for (let i = 0; i < 10 && !madeBefore; i++) work();
    return make();
  };
}

/** As fast as the others for a while after its first id. */
function throttles() {
  const make = honest();
  let start;
  return () => {
    start ??= performance.now();
    if (performance.now() - start > 400) work();
    return make();
  };
}

/** In order as long as all processes have the same clock. */
function clockOrder({ processIndex }) {
  const next = counting();
  const own = String(processIndex).padStart(2, '0');
  return () => {
    const at = String(process.hrtime.bigint()).padStart(20, '0');
    return `${at}${own}${String(next()).padStart(10, '0')}`;
  };
}

/** Seen only among more ids than a smoke run issues. */
export const leaksSlowly = strategy('leaks-slowly', () => {
  const next = honest();
  const kept = [];
  let calls = 0;
  return () => {
    // About 100 bytes for each hundredth id.
    if (++calls % 100 === 0) kept.push(new Array(10).fill(calls));
    return next();
  };
});

export const cases = [
  strategy('sound', honest),
  strategy('repeats-one', ({ processIndex }) => {
    const next = counting();
    // Process 2 gives one id of process 1 again, and each otherwise has ids of its own.
    return () => {
      const count = next();
      return processIndex === 2 && count === 5_000 ? '1/777' : `${processIndex}/${count}`;
    };
  }),
  strategy('repeats-rarely', ({ processIndex }) => {
    const next = counting();
    // Once among the ten million ids of a quick run.
    return () => {
      const count = next();
      return processIndex === 2 && count === 2_000_000 ? '1/777' : `${processIndex}/${count}`;
    };
  }),
  strategy(
    'real-time-by-name',
    // Each process has its own segment, as far from the others' as can be.
    ({ processIndex }) => {
      const next = counting();
      return () => (processIndex + 1) * 1_000_000_000 + next();
    },
    {
      order: { process: 'increasing', cluster: 'real-time' },
      idType: 'number',
      text: { pattern: /^\d+$/, maxLength: 16, sortable: false },
    },
  ),
  strategy('repeats-after-clock', () => {
    let last = 0;
    let count = 0;
    return () => {
      const now = Date.now();
      // A clock that went back is taken for a restart.
      if (now < last) count = 0;
      last = now;
      return `${process.pid}/${++count}`;
    };
  }),
  strategy('gives-nothing', () => () => {
    throw new Error('no ids today');
  }),
  strategy('leaks', () => {
    const next = honest();
    const kept = [];
    return () => {
      kept.push(new Array(50).fill(kept.length));
      return next();
    };
  }),
  strategy('made-in-advance', madeInAdvance, { order: { process: 'none', cluster: 'none' } }),
  strategy('fills-while-warming', fillsWhileWarming, { order: { process: 'none', cluster: 'none' } }),
  strategy('throttles', throttles),
  strategy('clock-order', clockOrder, {
    order: { process: 'increasing', cluster: 'real-time' },
    text: { pattern: /^\d{32}$/, maxLength: 32, sortable: true },
  }),
  strategy('goes-back', () => {
    const next = counting();
    return () => {
      const count = next();
      return `${process.pid}/${count === 500 ? 1_000_500 : count}`;
    };
  }),
  strategy('ill-formed', () => () => 'not an id'),
  strategy('repeats-when-warm', () => {
    const next = counting();
    // Faster than any other once the first 50,000 ids are out.
    return () => `${process.pid}/${Math.min(next(), 50_000)}`;
  }),
  strategy('crashes', () => {
    const next = honest();
    let left = 10_000;
    return () => {
      if (--left === 0) process.kill(process.pid, 'SIGSEGV');
      return next();
    };
  }),
  strategy('ends-midway', endsMidway),
  strategy('throws', () => {
    const next = honest();
    let left = 10_000;
    return () => {
      if (--left === 0) throw new Error('no more ids today');
      return next();
    };
  }),
  strategy('hangs', () => {
    const next = honest();
    let left = 10_000;
    return () => {
      while (--left < 0);
      return next();
    };
  }),
  {
    kind: 'control',
    name: 'counter',
    backends: [],
    format: { idType: 'number', text: { pattern: /^\d+$/, maxLength: 16, sortable: false } },
    open: async () => ({ nextSync: counting(), close: async () => {} }),
  },
];
