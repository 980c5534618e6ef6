import { groupProblem, MemorySegmentSource, type SequenceGroup } from '@ids/segment';
import { describe, expect, it } from 'vitest';
import { createSegmentInprocGenerator } from '../src/index.js';

describe('the guarantees of segment-inproc', () => {
  it('are these', async () => {
    await using generator = await createSegmentInprocGenerator({
      name: 'order',
      source: new MemorySegmentSource({ order: {} }),
    });
    expect(generator.guarantees).toEqual({
      unique: 'cluster',
      order: { process: 'increasing', cluster: 'none' },
      gaps: 'on-restart',
      sync: true,
      idType: 'number',
      text: {
        pattern: /^[1-9][0-9]{0,15}$/,
        alphabet: '0123456789',
        minLength: 1,
        maxLength: 16,
        sortable: false,
        caseSensitive: false,
      },
      backends: ['sql'],
      discloses: ['volume'],
    });
    expect(generator.guarantees).not.toHaveProperty('maxIdsLost');
  });

  it('have the bound of ids that may be lost, when it is given', async () => {
    await using generator = await createSegmentInprocGenerator({
      name: 'order',
      source: new MemorySegmentSource({ order: {} }),
      maxIdsLost: 1_500,
    });
    expect(generator.guarantees.maxIdsLost).toBe(1_500);
  });
});

describe('the groups that a sequence must have', () => {
  const byDay: SequenceGroup = { by: 'day', timeZone: 'Europe/Berlin' };

  function grouped(group: SequenceGroup | undefined): MemorySegmentSource {
    const source = new MemorySegmentSource({ order: {} });
    source.describe = async () => ({ realm: 'test', maxId: 0, ...(group && { group }) });
    return source;
  }

  it('are accepted when it has them, and not looked at when none are asked for', async () => {
    await (
      await createSegmentInprocGenerator({ name: 'order', source: grouped(byDay), group: byDay })
    ).close();
    await (await createSegmentInprocGenerator({ name: 'order', source: grouped(byDay) })).close();
  });

  it.each([
    [undefined, byDay],
    [byDay, { ...byDay, timeZone: 'UTC' }],
    [byDay, { ...byDay, by: 'month' }],
  ] as const)('are refused when it has %j and %j are asked for', async (has, group) => {
    const opening = createSegmentInprocGenerator({ name: 'order', source: grouped(has), group });
    await expect(opening).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('order'),
    });
  });

  it.each([{ by: 'week', timeZone: 'UTC' }, { by: 'day' }, 'day'])(
    'are refused when %j is none',
    async (group) => {
      const opening = createSegmentInprocGenerator({
        name: 'order',
        source: grouped(byDay),
        group: group as SequenceGroup,
      });
      await expect(opening).rejects.toMatchObject({
        code: 'ERR_IDS_CONFIG',
        message: `segment-inproc: option "group": ${groupProblem(group)}`,
      });
    },
  );
});

it('a generator is closed at the end of the block that uses it', async () => {
  const generator = await createSegmentInprocGenerator({
    name: 'order',
    source: new MemorySegmentSource({ order: {} }),
  });
  {
    await using used = generator;
    await used.next();
  }
  expect(generator.health().status).toBe('closed');
});
