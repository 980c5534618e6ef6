import { setTimeout as delay } from 'node:timers/promises';
import type { SegmentSource } from '@ids/segment';

/** `source` as if it were `ms` milliseconds further away, there and back together. */
export function slowSource(source: SegmentSource, ms: number): SegmentSource {
  return {
    describe: (name, options) => source.describe(name, options),
    async reserve(name, size, options) {
      const segment = await source.reserve(name, size, options);
      await delay(ms);
      return segment;
    },
    close: () => source.close(),
  };
}
