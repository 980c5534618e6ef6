import { counter } from './counter.mjs';

// Each id costs 3,000 turns of a loop.
export const cases = [counter('counter', 3_000)];
