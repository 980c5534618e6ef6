import { layoutOf, lowestIdAt, parseSnowflake } from '@ids/snowflake/tools';

export default async function run() {
  const layout = layoutOf('41+10+12');
  const timeMs = Date.UTC(2026, 0, 1);
  const parts = parseSnowflake(lowestIdAt(timeMs, layout), layout);
  if (parts.ms !== timeMs || parts.slot !== 0 || parts.sequence !== 0) throw new Error('must be the bound');
}
