import { createIds, type Guarantees, type IdStrategy, type SyncIdGenerator } from '@ids/core';
import { memoryGenerator } from '@ids/core/strategy';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createTestGenerator, testStrategy } from '../src/index.js';

afterEach(() => vi.unstubAllEnvs());

const guarantees: Guarantees = {
  unique: 'cluster',
  order: { process: 'increasing', cluster: 'none' },
  gaps: 'on-restart',
  sync: true,
  idType: 'string',
  text: { pattern: /^0[0-9]{5}$/, alphabet: '0123456789', minLength: 6, maxLength: 6, sortable: true },
  backends: ['sql'],
  discloses: ['volume'],
};

const opened = vi.fn(async (): Promise<SyncIdGenerator<string>> => {
  return memoryGenerator({ strategy: 'digits', guarantees, issue: () => '012345' });
});
const digits: IdStrategy<'digits', object, object, SyncIdGenerator<string>> = {
  name: 'digits',
  options: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as object }) } },
  optionNames: [],
  guarantees: () => guarantees,
  create: opened,
};

describe('ids for tests', () => {
  it('count from 1, from the start again after a reset, and do not open the strategy', async () => {
    const ids = createIds([testStrategy(digits)]);
    await using generator = await ids.create({ strategy: 'digits' });
    expect(generator.nextBatchSync(3)).toEqual(['000001', '000002', '000003']);
    expect(opened).not.toHaveBeenCalled();
    const plan = createIds([digits]).plan({ strategy: 'digits' });
    const again = createTestGenerator(plan);
    const first = again.nextBatchSync(2);
    again.reset();
    expect(again.nextBatchSync(2)).toEqual(first);
    expect(again.guarantees).toBe(guarantees);
  });

  it('end where the form of the strategy ends', () => {
    const ids = createTestGenerator(createIds([digits]).plan({ strategy: 'digits' }));
    ids.nextBatchSync(99_999);
    for (let call = 0; call < 2; call++) {
      expect(() => ids.nextSync()).toThrow(
        expect.objectContaining({ code: 'ERR_IDS_EXHAUSTED', message: expect.stringContaining('"100000"') }),
      );
    }
  });

  it.each([-1, 4_096, 0.5, Number.NaN, '1'])('refuse the seed %s', (seed) => {
    expect(() => testStrategy(digits, { seed: seed as number })).toThrow(
      expect.objectContaining({ code: 'ERR_IDS_CONFIG', message: expect.stringContaining('from 0 to 4095') }),
    );
  });

  it('are not opened in production', async () => {
    const ids = createIds([testStrategy(digits)]);
    vi.stubEnv('NODE_ENV', 'production');
    const refusal = expect.objectContaining({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('NODE_ENV must not be "production"'),
    });
    const plan = createIds([digits]).plan({ strategy: 'digits' });
    expect(() => createTestGenerator(plan)).toThrow(refusal);
    expect(() => testStrategy(digits)).toThrow(refusal);
    await expect(ids.create({ strategy: 'digits' })).rejects.toEqual(refusal);
  });
});
