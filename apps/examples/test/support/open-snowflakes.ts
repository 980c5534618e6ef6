import { fromPg } from '@ids/segment/sql';
import { createSnowflakeGenerator, type LayoutName, type SnowflakeTypeName } from '@ids/snowflake';
import { createSlots, ensureSlotSchema } from '@ids/snowflake/sql';
import type pg from 'pg';

/** A generator on new slots `order` in a schema of `ownSchema`. */
export async function openSnowflakes<As extends SnowflakeTypeName>(
  pool: pg.Pool,
  as: As,
  layout: LayoutName,
) {
  await ensureSlotSchema(fromPg(pool));
  await createSlots(fromPg(pool), 'order', { layout, slots: 2 });
  return createSnowflakeGenerator({ name: 'order', database: pool, as, layout, startup: 'at-once' });
}
