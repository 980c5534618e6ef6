import { runConformance } from '@ids/conformance';
import { describe, it } from 'vitest';
import { createCodec, type EncodeOptions } from '../src/index.js';
import { numberGuarantees } from './support/subject.js';

const variants: readonly EncodeOptions[] = [
  { as: 'base62', width: 11, prefix: 'ord_', check: true },
  { as: 'crockford', check: true },
  { as: 'hex', obfuscate: true, key: '000102030405060708090a0b0c0d0e0f' },
  { prefix: 'n-' },
];

for (const options of variants) {
  const { guarantees, decode } = createCodec(numberGuarantees, options);
  runConformance(
    {
      name: `numbers encoded with ${JSON.stringify({ ...options, key: options.key && '...' })}`,
      module: new URL('./support/subject.ts', import.meta.url),
      guarantees,
      // Texts that do not sort rise in the order of their numbers.
      compare: (a, b) =>
        guarantees.text.sortable
          ? a < b
            ? -1
            : a > b
              ? 1
              : 0
          : Number(decode(String(a))) - Number(decode(String(b))),
      fresh: async () => options,
    },
    { describe, it },
  );
}
