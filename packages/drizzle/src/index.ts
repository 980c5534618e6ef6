export { withIds } from './with-ids.js';
