export type { ObjectIdLike } from '../object-id-input.js';
export { connectBson } from './connect-bson.js';
export { ObjectId } from './object-id.js';
export { createPkFactory } from './pk-factory.js';
