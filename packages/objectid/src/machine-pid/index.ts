export type { ClassicObjectIdOptions } from './classic-options.js';
export { createObjectIdGenerator, objectid } from './classic-strategy.js';
