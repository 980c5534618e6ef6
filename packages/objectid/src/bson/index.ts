export type { ObjectIdLike } from '../input.js';
export { connectBson, createPkFactory } from './connect.js';
export { ObjectId } from './object-id.js';
