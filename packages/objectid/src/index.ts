export { connectBson } from './bson-class.js';
export { createObjectIdGenerator } from './create-object-id-generator.js';
export {
  type DecodedMachinePidObjectId,
  type DecodedRandomObjectId,
  decodeObjectId,
  type ObjectIdLayout,
} from './decode-object-id.js';
export { inspectObjectId } from './inspect-object-id.js';
export { ObjectId } from './object-id.js';
export type { ObjectIdLike } from './object-id-input.js';
export type { ObjectIdOptions } from './object-id-options.js';
export { objectid } from './object-id-strategy.js';
export { createPkFactory } from './pk-factory.js';
export { resetObjectIds } from './random-layout.js';
export { lowerBound, upperBound } from './time-bounds.js';
