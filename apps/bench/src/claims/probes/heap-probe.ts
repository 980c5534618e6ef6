import type { ProbeCase } from '../claim.js';

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
          const fill = () => {
            for (let i = 0; i < things; i++) kept[i] = make();
          };
          // For what comes once: engines leave room in the first objects of a class,
          // and keep what they compile.
          fill();
          fill();
          const bytesEach = () => {
            kept.fill(null);
            const before = usedHeap();
            fill();
            return (usedHeap() - before) / things;
          };
          // The most: what else the process gives up meanwhile makes it less than it is.
          return { bytes: Math.round(Math.max(bytesEach(), bytesEach())) };
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
