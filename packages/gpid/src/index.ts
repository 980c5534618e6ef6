export { formatGpid, type Gpid, parseGpid } from './gpid.js';
