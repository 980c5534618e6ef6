export { lowerBound, upperBound } from './bounds.js';
export {
  type DecodedMachinePidObjectId,
  type DecodedRandomObjectId,
  decodeObjectId,
  inspectEitherLayout,
  inspectObjectId,
  type ObjectIdLayout,
} from './decode.js';
