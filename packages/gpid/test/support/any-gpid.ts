import fc from 'fast-check';
import { type Evidence, Gpid, type GpidInit } from '../../src/index.js';

const hex = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((bits) => bits.toString(16).padStart(16, '0'));
const from = (min: number) => fc.integer({ min, max: 10 ** 15 - 1 });

const anyEvidence: fc.Arbitrary<Evidence> = fc.record(
  {
    boot: hex,
    ticks: from(0),
    pidns: from(1),
    thread: from(1),
    worker: fc.tuple(from(1), from(0)).map(([id, primary]) => `${id}@${primary}`),
    run: hex,
  },
  { requiredKeys: [] },
);

/** The parts of every gpid there can be; IPv6 addresses in all their spellings. */
export const anyGpidInit: fc.Arbitrary<GpidInit & { readonly evidence: Evidence }> = fc.record({
  ip: fc.oneof(fc.ipV4(), fc.ipV6()),
  port: fc.integer({ min: 0, max: 65_535 }),
  startTime: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
  pid: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
  evidence: fc.oneof(fc.constant({}), anyEvidence),
});

export const anyGpid: fc.Arbitrary<Gpid> = anyGpidInit.map((init) => Gpid.of(init));

/**
 * A UTF-16 code unit, also one of half a pair; often ASCII. That of fast-check, `binary`,
 * takes seconds to set up.
 */
const anyUnit = fc.oneof(fc.nat(0x7f), fc.nat(0xffff)).map((unit) => String.fromCharCode(unit));

/** Any text at all. */
export const anyText = fc.string({ unit: anyUnit });
