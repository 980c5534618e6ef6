import { runConformance } from '@ids/conformance';
import { describe, it } from 'vitest';
import { createCodec, type EncodeOptions } from '../src/index.js';
import { numberGuarantees } from './support/subject.js';

const quick: readonly EncodeOptions[] = [
  { as: 'base62', width: 11, prefix: 'ord_', check: true },
  { as: 'hex', obfuscate: true, key: '000102030405060708090a0b0c0d0e0f' },
];
const full: readonly EncodeOptions[] = [{ as: 'crockford', check: true }, { prefix: 'n-' }];
/** With IDS_FULL=1, all of them. */
const variants = process.env.IDS_FULL === '1' ? [...quick, ...full] : quick;

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
      skipped: (before, id) => BigInt(Number(decode(String(id))) - Number(decode(String(before))) - 1),
      fresh: async () => options,
    },
    { describe, it },
  );
}
