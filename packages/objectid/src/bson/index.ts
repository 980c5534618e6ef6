export type { ObjectIdLike } from '../object-id-input.js';
export { connectBson } from './bson-class.js';
export { ObjectId } from './object-id.js';
export { createPkFactory } from './pk-factory.js';
