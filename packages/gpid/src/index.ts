export { formatGpid, type Gpid, parseGpid } from './gpid.js';
export { createGpidGenerator, gpid } from './gpid-generator.js';
export { compareGpidIds, type GpidId, parseGpidId } from './gpid-id.js';
export type { GpidOptions } from './options.js';
export { thisProcess } from './this-process.js';
