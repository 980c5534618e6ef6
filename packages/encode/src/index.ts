export { acceptFormer } from './accept-former.js';
export { type Codec, createCodec } from './codec.js';
export type { AlphabetName } from './digits.js';
export type { YearOptions } from './document-year.js';
export { type Encoded, encodeIds, type Transcoder } from './encode-ids.js';
export { type EncodedKeyed, encodeKeyed } from './encode-keyed.js';
export type { FormName } from './forms.js';
export type { HiddenVersion } from './hidden-uuid.js';
export { formProblem, inspectTypeid, inspectUlid } from './inspect-forms.js';
export {
  createNumberFormat,
  type NumberFormat,
  type NumberFormatOptions,
  type ParsedNumber,
} from './number-format.js';
export { type EncodeOptions, encodeOptionsSchema, encodeProblems } from './options.js';
export { pastedForms } from './pasted-forms.js';
export { createRandomCodes, type RandomCodes, type RandomCodesOptions } from './random-codes.js';
