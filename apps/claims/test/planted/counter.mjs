// A counter to compare with the others here: as fast as a counter can be.
export const cases = [counter('counter', 0), counter('only-here', 0)];

/** `work`: how many turns of a loop each id costs, or a function that says so when a process opens it. */
export function counter(name, work) {
  return {
    kind: 'strategy',
    name,
    backends: [],
    comparedWith: [],
    guarantees: { sync: true, backends: [] },
    format: { idType: 'number', text: { pattern: /^\d+$/, maxLength: 16, sortable: false } },
    async open() {
      const turns = typeof work === 'function' ? work() : work;
      let last = 0;
      return {
        nextSync() {
          for (let turn = 0; turn < turns; turn++) if (turn > last + turns) last++;
          return ++last;
        },
        close: async () => {},
      };
    },
  };
}
