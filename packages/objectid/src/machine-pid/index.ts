export { type ClassicObjectIdOptions, createObjectIdGenerator, objectid } from './strategy.js';
