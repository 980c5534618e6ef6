import { describe, expect, it, vi } from 'vitest';
import { IdError, isIdError } from '../src/index.js';

describe('an id error', () => {
  it('carries its code, whether to try again, and its cause', () => {
    const cause = new Error('ECONNREFUSED');
    const error = new IdError('ERR_IDS_UNAVAILABLE', 'Redis is down', { cause });
    expect(error).toMatchObject({ name: 'IdError', code: 'ERR_IDS_UNAVAILABLE', retryable: true, cause });
    expect(new IdError('ERR_IDS_CONFIG', 'no such table').retryable).toBe(false);
  });

  it('is recognised across two copies of the package, both ways, by a call and by instanceof', async () => {
    vi.resetModules();
    const copy = await import('../src/index.js');
    expect(copy.IdError).not.toBe(IdError);
    const [own, other] = [new IdError('ERR_IDS_CLOSED', ''), new copy.IdError('ERR_IDS_CLOSED', '')];
    for (const error of [own, other]) {
      expect([isIdError(error), copy.isIdError(error)]).toEqual([true, true]);
      expect(error).toBeInstanceOf(IdError);
      expect(error).toBeInstanceOf(copy.IdError);
    }
  });

  it('is no instance of a class that extends it', () => {
    class OwnError extends IdError {}
    expect(new IdError('ERR_IDS_CLOSED', '')).not.toBeInstanceOf(OwnError);
    expect(new OwnError('ERR_IDS_CLOSED', '')).toBeInstanceOf(OwnError);
    expect(isIdError(new OwnError('ERR_IDS_CLOSED', ''))).toBe(true);
  });

  it.each([
    undefined,
    null,
    'ERR_IDS_CLOSED',
    new Error('ERR_IDS_CLOSED'),
    { code: 'ERR_IDS_CLOSED' },
    { name: 'IdError' },
    { name: 'IdError', code: 'ERR_IDS_CLOSED' },
    { name: 'Error', code: 'ERR_IDS_CLOSED', retryable: false },
  ])('is not mistaken for %s', (value) => expect(isIdError(value)).toBe(false));
});
