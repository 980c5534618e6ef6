export type { Client, Right } from './access.js';
export { createIdsHandler, type IdsHandlerOptions } from './handler.js';
export type { Limits } from './limits.js';
export { idsPage } from './page-response.js';
export type { RequestListener, RequestReport } from './request-report.js';
export type { LeasedSequence, ServedGenerator, ServedGenerators } from './served.js';
