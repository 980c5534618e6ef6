import type { ConformanceSubject } from '@ids/conformance';
import { createCodec, type EncodeOptions } from '../../src/index.js';
import { numberGuarantees } from './subject.js';

/** Numbers that are encoded with `options`, for the conformance kit. */
export function encodedNumbers(options: EncodeOptions): ConformanceSubject {
  const { guarantees, decode } = createCodec(numberGuarantees, options);
  const numberOf = (id: unknown) => Number(decode(String(id)));
  return {
    name: `numbers encoded with ${JSON.stringify({ ...options, key: options.key && '...' })}`,
    module: new URL('./subject.ts', import.meta.url),
    guarantees,
    // Texts that do not sort rise in the order of their numbers.
    compare: (a, b) => (guarantees.text.sortable ? (a < b ? -1 : a > b ? 1 : 0) : numberOf(a) - numberOf(b)),
    skipped: (before, id) => BigInt(numberOf(id) - numberOf(before) - 1),
    fresh: async () => options,
  };
}
