import fc from 'fast-check';
import type { Gpid } from '../../src/index.js';

/** Every gpid there can be; IPv6 addresses in all their spellings. */
export const anyGpid: fc.Arbitrary<Gpid> = fc.record({
  ip: fc.oneof(fc.ipV4(), fc.ipV6()),
  port: fc.integer({ min: 0, max: 65_535 }),
  startTime: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
  pid: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
});
