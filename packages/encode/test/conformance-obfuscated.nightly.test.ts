import { runConformance } from '@ids/conformance';
import { describe, it } from 'vitest';
import { encodedNumbers } from './support/encoded-numbers.js';

// Slow, because the kit takes 200,000 ids, and each of them is encrypted.
const key = '000102030405060708090a0b0c0d0e0f';
runConformance(encodedNumbers({ as: 'hex', obfuscate: true, key }), { describe, it });
