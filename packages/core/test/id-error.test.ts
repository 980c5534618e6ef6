import { describe, expect, it } from 'vitest';
import { IdError, isIdError } from '../src/index.js';

describe('an id error', () => {
  it('carries its code, whether to try again, and its cause', () => {
    const cause = new Error('ECONNREFUSED');
    const error = new IdError('ERR_IDS_UNAVAILABLE', 'Redis is down', { cause });
    expect(error).toMatchObject({ name: 'IdError', code: 'ERR_IDS_UNAVAILABLE', retryable: true, cause });
    expect(new IdError('ERR_IDS_CONFIG', 'no such table').retryable).toBe(false);
  });

  it('is recognised across two copies of the package', () => {
    class IdErrorOfAnotherCopy extends Error {
      override readonly name = 'IdError';
      readonly code = 'ERR_IDS_CLOSED';
    }
    expect(isIdError(new IdErrorOfAnotherCopy())).toBe(true);
  });

  it.each([
    undefined,
    null,
    'ERR_IDS_CLOSED',
    new Error('ERR_IDS_CLOSED'),
    { code: 'ERR_IDS_CLOSED' },
    { name: 'IdError' },
    { name: 'IdError', code: 'ERR_IDS_OTHER' },
    { name: 'IdError', code: ['ERR_IDS_CLOSED'] },
  ])('is not mistaken for %s', (value) => expect(isIdError(value)).toBe(false));
});
