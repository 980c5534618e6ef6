import type { ProbeCase } from '../probe.js';

interface HeapCase {
  readonly name: string;
  /** How many are kept: enough that what else the process needs meanwhile vanishes. */
  readonly things: number;
  /** Makes one thing; only what it returns is kept. */
  open(): Promise<() => unknown>;
}

/** What each thing that is kept keeps alive. Figure: `bytes`, whole ones. */
export function heapProbe({ name, things, open }: HeapCase): ProbeCase {
  return {
    name,
    backends: [],
    exact: true,
    async open() {
      const make = await open();
      return {
        async measure() {
          const kept = new Array<unknown>(things).fill(null);
          // Engines leave room in the first objects of a class, and compile what is called often.
          for (let i = 0; i < things / 10; i++) make();
          const before = usedHeap();
          for (let i = 0; i < things; i++) kept[i] = make();
          return { bytes: Math.round((usedHeap() - before) / kept.length) };
        },
        close: async () => {},
      };
    },
  };
}

function usedHeap(): number {
  if (globalThis.gc === undefined) throw new Error('workers run with --expose-gc');
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}
