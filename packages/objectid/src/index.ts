export { createObjectIdGenerator } from './create-object-id-generator.js';
export type { ObjectIdOptions } from './object-id-options.js';
export { objectid } from './object-id-strategy.js';
export { randomIssuer, resetObjectIds } from './random-layout.js';
