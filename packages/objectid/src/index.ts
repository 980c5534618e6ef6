export { objectIdAt } from './at.js';
export type { ObjectIdOptions } from './generator.js';
export { randomIssuer, resetObjectIds } from './issuer.js';
export { createObjectIdGenerator, objectid } from './strategy.js';
