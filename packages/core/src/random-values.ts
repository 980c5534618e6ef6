import { IdError } from './id-error.js';

/**
 * `crypto.getRandomValues`, which fills `array` and returns it. Throws `ERR_IDS_CONFIG` where there is none:
 * in Node.js 18, and in environments of tests that are made without it.
 */
export function randomValues<Numbers extends Uint32Array | BigUint64Array>(array: Numbers): Numbers {
  const { crypto } = globalThis as Partial<typeof globalThis>;
  if (crypto?.getRandomValues !== undefined) return crypto.getRandomValues(array);
  throw new IdError('ERR_IDS_CONFIG', 'globalThis.crypto is missing; Node.js has it from 20 on');
}
