import { abortCases } from './abort-cases.js';
import { batchCases } from './batch-cases.js';
import { closeGapCases } from './close-gap-cases.js';
import type { ConformanceCase } from './conformance-case.js';
import { gapCases } from './gap-cases.js';
import { guaranteeCases } from './guarantee-cases.js';
import { idCases } from './id-cases.js';
import { lifecycleCases } from './lifecycle-cases.js';
import { orderCases } from './order-cases.js';
import { processCases } from './process-cases.js';
import { readinessCases } from './readiness-cases.js';
import { uniquenessCases } from './uniqueness-cases.js';

/** Everything the kit requires, in the order in which a reader would ask. */
export const conformanceCases: readonly ConformanceCase[] = [
  ...guaranteeCases,
  ...idCases,
  ...batchCases,
  ...orderCases,
  ...gapCases,
  ...closeGapCases,
  ...uniquenessCases,
  ...abortCases,
  ...readinessCases,
  ...lifecycleCases,
  ...processCases,
];
