export {
  type DecodedMachinePidObjectId,
  type DecodedRandomObjectId,
  decodeObjectId,
  type ObjectIdLayout,
} from './decode-object-id.js';
export type { ObjectIdOptions } from './object-id-options.js';
export { createObjectIdGenerator, objectid } from './object-id-strategy.js';
export { resetObjectIds } from './random-layout.js';
export { lowerBound, upperBound } from './time-bounds.js';
