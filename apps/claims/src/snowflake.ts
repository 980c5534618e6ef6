import { memoryControl, subjectOf } from '@ids/bench/measure';
import { createSnowflakeGenerator, type SnowflakeOptions } from '@ids/snowflake';
import { claimsOf, type StatedClaim } from './claim.js';
import { idsProbe } from './probes/ids.js';

/** With a fixed worker: with slots, time comes from elsewhere, and ids are made in the same way. */
async function nextSync(name: string, options: SnowflakeOptions) {
  const { guarantees } = await createSnowflakeGenerator({ worker: 7, ...options });
  const { maxIdsPerSecond = Number.POSITIVE_INFINITY } = guarantees;
  return idsProbe({
    name: `snowflake nextSync, ${name}`,
    format: guarantees,
    maxIdsPerSecond,
    open: async () => {
      const generator = await createSnowflakeGenerator({ worker: 7, ...options });
      await generator.ready();
      return subjectOf(generator);
    },
  });
}

const number = await nextSync('as number', { as: 'number' });
const bigint = await nextSync('as bigint', {});
const sapphire = idsProbe(memoryControl('@sapphire/snowflake'));
const counter = idsProbe(memoryControl('empty loop'));

const { atMostTimes, faster } = claimsOf('snowflake');

export const snowflakeClaims: readonly StatedClaim[] = [
  faster(
    'number',
    2.5,
    [number, 'raw'],
    [sapphire, 'raw'],
    'as number, nextSync() is at least 2.5 times as fast as @sapphire/snowflake',
  ),
  faster(
    'bigint',
    1.5,
    [bigint, 'raw'],
    [sapphire, 'raw'],
    'as bigint, nextSync() is at least 1.5 times as fast as @sapphire/snowflake',
  ),
  atMostTimes(
    'counter',
    25,
    [number, 'raw'],
    [counter, 'raw'],
    'as number, nextSync() costs at most 25 times what a bare counter does, most of it for the clock',
  ),
];
