export { uuid7At } from './at.js';
export { lowerBound, upperBound } from './bounds.js';
export {
  inspectUuid7,
  isUuid7,
  type ParsedUuid7,
  parseUuid7,
  uuid7FromBytes,
  uuid7ToBytes,
} from './parse.js';
export {
  createUuid7Generator,
  type Uuid7BytesGenerator,
  type Uuid7GeneratorOptions,
  uuid7,
} from './strategy.js';
export { resetUuid7s } from './thread-issuer.js';
