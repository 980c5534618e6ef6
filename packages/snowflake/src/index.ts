export type { ReignChange } from '@ids/store';
export { defaultLayout, type SnowflakeTypeName, type SnowflakeTypes } from './ids/id-format.js';
export type { SnowflakeOptions } from './options.js';
export { createSnowflakeGenerator, snowflake } from './strategy.js';
export * from './tools/index.js';
export type { SnowflakeCounters, SnowflakeEvent, SnowflakeListener } from './windows/events.js';
export type { SnowflakeGenerator } from './windows/generator.js';
export type { Window } from './windows/held-windows.js';
export type { Holder, Refusal } from './windows/slot-table.js';
