export { type Codec, createCodec } from './codec.js';
export type { AlphabetName } from './digits.js';
export { type Encoded, encodeIds, type Transcoder } from './encode-ids.js';
export { formProblem, inspectTypeid, inspectUlid } from './inspect-forms.js';
export { type EncodeOptions, encodeOptionsSchema, encodeProblems } from './options.js';
export type { FormName } from './uuid-body.js';
