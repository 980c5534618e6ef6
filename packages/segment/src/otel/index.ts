export type { MeterLike, ObservableLike, ObservableResultLike } from './meter-like.js';
export { type MeteredGenerator, observeSegments } from './observe-segments.js';
