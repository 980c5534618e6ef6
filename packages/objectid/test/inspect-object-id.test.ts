import { afterEach, describe, expect, it } from 'vitest';
import { createObjectIdGenerator } from '../src/index.js';
import { objectid } from '../src/machine-pid/index.js';
import { inspectObjectId } from '../src/tools/index.js';

const HEX = '5a17b9d9ab102555b9c38874';
const zone = process.env.TZ;
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

describe('inspecting an id', () => {
  it.each([
    ['Asia/Shanghai', '2017-11-24 14:19:05 +08:00'],
    ['UTC', '2017-11-24 06:19:05 +00:00'],
    ['America/St_Johns', '2017-11-24 02:49:05 -03:30'],
  ])('shows the time in UTC and in %s', (timeZone, local) => {
    process.env.TZ = timeZone;
    const [time] = inspectObjectId(HEX) ?? [];
    expect(time).toEqual({ name: 'time', value: '2017-11-24T06:19:05.000Z', note: `local ${local}` });
  });

  it('shows the parts that its strategy knows', () => {
    const values = (parts: ReturnType<typeof inspectObjectId>) =>
      parts?.slice(1).map(({ name, value }) => `${name} ${value}`);
    expect(values(inspectObjectId(HEX))).toEqual(['random ab102555b9', 'counter 12814452']);
    expect(values(objectid.inspect?.(HEX))).toEqual([
      'random ab102555b9',
      'machine ab1025',
      'process 21945',
      'counter 12814452',
    ]);
    expect(inspectObjectId(createObjectIdGenerator().nextSync())).toHaveLength(3);
  });

  it.each(['', '48001', HEX.toUpperCase(), `${HEX}0`, `${HEX}\n`, 'g'.repeat(24)])(
    'says nothing of %j, which no generator issues',
    (text) => {
      expect(inspectObjectId(text)).toBeUndefined();
      expect(objectid.inspect?.(text)).toBeUndefined();
    },
  );
});
