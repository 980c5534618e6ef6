// For tools that plan the swap of one strategy for another. A service that opens its ids loads none of it.
export { COLUMN_NAME, COLUMN_NAME_RULE, columnName, columnParts } from '../column-name.js';
export { columnFindings, isNumberColumn } from './column-findings.js';
export type { ColumnFacts, SwapFinding, SwapOptions, SwapPlan, SwapSide, SwapStep } from './facts.js';
export { planSwap } from './plan.js';
