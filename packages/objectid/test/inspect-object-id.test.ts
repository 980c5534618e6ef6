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

  it('says what each part is', () => {
    const [time, ...rest] = inspectObjectId(HEX) ?? [];
    expect(time?.note).toMatch(/^local /);
    const random = {
      name: 'random',
      value: 'ab102555b9',
      note: 'the same for all ids of one process',
    };
    const counter = { name: 'counter', value: '12814452', note: '0xc38874' };
    expect(rest).toEqual([random, counter]);
    const machine = { name: 'machine', value: 'ab1025', note: 'the start of a hash' };
    const process = { name: 'process', value: '21945', note: 'the low 16 bits of the process id' };
    expect(inspectObjectId(HEX, 'machine-pid')?.slice(1)).toEqual([machine, process, counter]);
    const ifClassic = (note: string) => `${note}, if the layout is machine-pid`;
    expect(objectid.inspect?.(HEX)?.slice(1)).toEqual([
      random,
      { ...machine, note: ifClassic(machine.note) },
      { ...process, note: ifClassic(process.note) },
      counter,
    ]);
  });

  it('says nothing of what is no text', () => {
    for (const value of [undefined, 42, [HEX]]) {
      expect(inspectObjectId(value as unknown as string)).toBeUndefined();
    }
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

  it.each(['', '48001', `x${HEX}`, HEX.toUpperCase(), `${HEX}0`, `${HEX}\n`, 'g'.repeat(24)])(
    'says nothing of %j, which no generator issues',
    (text) => {
      expect(inspectObjectId(text)).toBeUndefined();
      expect(objectid.inspect?.(text)).toBeUndefined();
    },
  );
});
