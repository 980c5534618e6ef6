import type { Guarantees } from '@ids/core';
import { describe, expect, it } from 'vitest';
import { endOfTime, LAYOUTS } from '../src/ids/layout.js';
import { layoutOf, lowestIdAt, snowflake } from '../src/index.js';
import type { ParsedSnowflakeOptions } from '../src/options.js';
import { parse } from './support/parse.js';

const SLOTS = { name: 'order', database: 'postgres://localhost/app' };

function claims(options: object): Guarantees {
  return snowflake.guarantees(parse(options).value as ParsedSnowflakeOptions);
}

describe('ids of slots', () => {
  it('are unique and in order of time in the cluster, and disclose what they contain', () => {
    expect(claims(SLOTS)).toEqual({
      unique: 'cluster',
      order: { process: 'increasing', cluster: 'k-sorted', skewMs: 3_001 },
      gaps: 'on-restart',
      sync: true,
      idType: 'bigint',
      text: {
        pattern: /^(0|[1-9][0-9]{0,18})$/,
        alphabet: '0123456789',
        minLength: 1,
        maxLength: 19,
        sortable: false,
        caseSensitive: false,
      },
      backends: ['sql'],
      discloses: ['time', 'volume', 'process'],
      maxIdsPerSecond: 4_096_000,
    });
  });

  it('have the type, the rate and the unit of time of their layout', () => {
    expect(claims({ ...SLOTS, as: 'number' })).toMatchObject({ idType: 'number', maxIdsPerSecond: 64_000 });
    expect(claims({ ...SLOTS, as: 'number', layout: '31s+8+14' })).toMatchObject({
      order: { skewMs: 4_000 },
      maxIdsPerSecond: 16_384,
    });
  });

  it.each(Object.keys(LAYOUTS) as (keyof typeof LAYOUTS)[])(
    'have at most the digits of the layout %s',
    (name) => {
      const layout = layoutOf(name);
      const { pattern, maxLength } = claims({ ...SLOTS, layout: name }).text;
      const last = String(lowestIdAt(endOfTime(layout), layout) - 1n);
      expect(maxLength).toBe(last.length);
      for (const id of ['0', '7', last]) expect(id).toMatch(pattern);
      for (const other of ['', '00', '07', `${last}0`, '-1', '1.5', `x${last.slice(1)}`])
        expect(other).not.toMatch(pattern);
    },
  );
});

it('ids of a fixed worker are unique in one process, without a backend', () => {
  expect(claims({ worker: 7 })).toMatchObject({ unique: 'process', backends: [], gaps: 'on-restart' });
});
