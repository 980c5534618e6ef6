import type { Guarantees } from '@ids/core';
import { type ColumnFacts, planSwap, type SwapOptions, type SwapSide } from '../src/swap/index.js';

export const numbers: Guarantees = {
  unique: 'cluster',
  order: { process: 'increasing', cluster: 'real-time' },
  gaps: 'on-fault',
  sync: false,
  idType: 'number',
  text: {
    pattern: /^[1-9][0-9]{0,15}$/,
    alphabet: '0123456789',
    minLength: 1,
    maxLength: 16,
    sortable: false,
  },
  backends: ['redis', 'sql'],
  discloses: ['volume'],
};
export const texts: Guarantees = {
  unique: 'process',
  order: { process: 'none', cluster: 'none' },
  gaps: 'never',
  sync: true,
  idType: 'string',
  text: {
    pattern: /^[0-9a-z]{24}$/,
    alphabet: '0123456789abcdefghijklmnopqrstuvwxyz',
    minLength: 24,
    maxLength: 24,
    sortable: true,
    caseSensitive: true,
  },
  backends: [],
  discloses: ['time'],
};
/** Snowflakes of 63 bits and of 53. */
export const WIDE: Guarantees = {
  ...numbers,
  idType: 'bigint',
  text: { ...numbers.text, pattern: /^(0|[1-9][0-9]{0,18})$/, maxLength: 19 },
};
export const orders: ColumnFacts = { name: 'orders.id', type: 'bigint', ignoresCase: false };
export const [ofNumbers, ofTexts] = [{ guarantees: numbers }, { guarantees: texts }];

/** The finding about `what` in full. */
export function finding(
  what: string,
  from: SwapSide,
  to: SwapSide,
  column?: ColumnFacts,
  options?: SwapOptions,
) {
  return planSwap(from, to, column, options).findings.find(({ about }) => about === what);
}
