export type { SnowflakeCounters, SnowflakeEvent, SnowflakeListener } from './events.js';
export type { SnowflakeGenerator } from './generator.js';
export type { Window } from './held-windows.js';
export { defaultLayout, type SnowflakeTypeName, type SnowflakeTypes } from './id-format.js';
export {
  DEFAULT_EPOCH,
  DISCORD_EPOCH,
  type Layout,
  type LayoutName,
  layoutOf,
  lowestIdAt,
  TWITTER_EPOCH,
} from './layout.js';
export type { SnowflakeOptions } from './options.js';
export { type ParsedSnowflake, parseSnowflake } from './parse.js';
export type { Holder, Refusal, ReignChange } from './slot-table.js';
export { createSnowflakeGenerator, snowflake } from './strategy.js';
