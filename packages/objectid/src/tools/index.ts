export {
  type DecodedMachinePidObjectId,
  type DecodedRandomObjectId,
  decodeObjectId,
  type ObjectIdLayout,
} from './decode-object-id.js';
export { inspectObjectId } from './inspect-object-id.js';
export { lowerBound, upperBound } from './time-bounds.js';
