export { type FillIdsExtension, fillIds } from './fill-ids.js';
export type { ModelIds } from './models.js';
