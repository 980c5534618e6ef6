import { runConformance } from '@ids/conformance';
import { describe, it } from 'vitest';
import type { EncodeOptions } from '../src/index.js';
import { encodedNumbers } from './support/encoded-numbers.js';

const quick: EncodeOptions = { as: 'base62', width: 11, prefix: 'ord_', check: true };
const full: readonly EncodeOptions[] = [{ as: 'crockford', check: true }, { prefix: 'n-' }];

/** With IDS_FULL=1, all of them. */
for (const options of process.env.IDS_FULL === '1' ? [quick, ...full] : [quick]) {
  runConformance(encodedNumbers(options), { describe, it });
}
