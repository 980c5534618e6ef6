import { abortMutants } from './abort-mutants.js';
import { batchMutants } from './batch-mutants.js';
import { counterMutants } from './counter-mutants.js';
import { gapMutants } from './gap-mutants.js';
import { guaranteeMutants } from './guarantee-mutants.js';
import { idMutants } from './id-mutants.js';
import { lifecycleMutants } from './lifecycle-mutants.js';
import type { Mutant } from './mutant.js';
import { orderMutants } from './order-mutants.js';
import { readinessMutants } from './readiness-mutants.js';
import { restartMutants } from './restart-mutants.js';
import { uniquenessMutants } from './uniqueness-mutants.js';

/** Those that need no process of their own to be noticed. */
export const inProcessMutants: readonly Mutant[] = [
  ...guaranteeMutants,
  ...idMutants,
  ...batchMutants,
  ...orderMutants,
  ...gapMutants,
  ...uniquenessMutants,
  ...restartMutants,
  ...abortMutants,
  ...readinessMutants,
  ...lifecycleMutants,
  ...counterMutants,
];
