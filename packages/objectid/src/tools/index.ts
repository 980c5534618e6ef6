export { lowerBound, upperBound } from './bounds.js';
export {
  inspectEitherLayout,
  inspectObjectId,
  type ObjectIdLayout,
  type ParsedMachinePidObjectId,
  type ParsedObjectId,
  parseObjectId,
} from './parse.js';
