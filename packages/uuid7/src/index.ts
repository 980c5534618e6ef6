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
  type Uuid7Options,
  uuid7,
} from './strategy.js';
export { resetUuid7s } from './thread-issuer.js';
