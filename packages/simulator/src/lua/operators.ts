import {
  LuaError,
  type LuaFunction,
  LuaTable,
  type LuaValue,
  numberToString,
  toNumber,
  typeName,
} from './values.js';

/**
 * What compiled code calls for each operator whose operands are not both numbers, and for calls and indexing.
 */
export const operators = {
  add: (a: LuaValue, b: LuaValue) => number(a) + number(b),
  sub: (a: LuaValue, b: LuaValue) => number(a) - number(b),
  mul: (a: LuaValue, b: LuaValue) => number(a) * number(b),
  div: (a: LuaValue, b: LuaValue) => number(a) / number(b),
  pow: (a: LuaValue, b: LuaValue) => number(a) ** number(b),
  /** The sign of the result is that of the divisor. */
  mod: (a: LuaValue, b: LuaValue) => {
    const [x, y] = [number(a), number(b)];
    return x - Math.floor(x / y) * y;
  },
  unm: (a: LuaValue) => -number(a),
  len: (a: LuaValue) => {
    if (typeof a === 'string' || a instanceof LuaTable) return a.length;
    throw new LuaError(`attempt to get length of a ${typeName(a)} value`);
  },
  concat: (a: LuaValue, b: LuaValue) => piece(a) + piece(b),
  lt: (a: LuaValue, b: LuaValue): boolean => {
    if (typeof a === 'number' && typeof b === 'number') return a < b;
    if (typeof a === 'string' && typeof b === 'string') return a < b;
    throw incomparable(a, b);
  },
  le: (a: LuaValue, b: LuaValue): boolean => {
    if (typeof a === 'number' && typeof b === 'number') return a <= b;
    if (typeof a === 'string' && typeof b === 'string') return a <= b;
    throw incomparable(a, b);
  },
  gt: (a: LuaValue, b: LuaValue): boolean => operators.lt(b, a),
  ge: (a: LuaValue, b: LuaValue): boolean => operators.le(b, a),
  index: (table: LuaValue, key: LuaValue): LuaValue => {
    if (table instanceof LuaTable) return table.get(key);
    throw new LuaError(`attempt to index a ${typeName(table)} value (field '${String(key)}')`);
  },
  setIndex: (table: LuaValue, key: LuaValue, value: LuaValue): void => {
    if (!(table instanceof LuaTable)) throw new LuaError(`attempt to index a ${typeName(table)} value`);
    table.set(key, value);
  },
  callable: (value: LuaValue): LuaFunction => {
    if (typeof value === 'function') return value;
    throw new LuaError(`attempt to call a ${typeName(value)} value`);
  },
  /** The first of what a call returned. */
  first: (result: LuaValue | LuaValue[]): LuaValue => (Array.isArray(result) ? result[0] : result),
  /** All of what a call returned. */
  all: (result: LuaValue | LuaValue[]): LuaValue[] => {
    if (Array.isArray(result)) return result;
    return result === undefined ? [] : [result];
  },
  /** One value that a function returns: a nil must not look like no value. */
  one: (value: LuaValue): LuaValue | LuaValue[] => (value === undefined ? [undefined] : value),
  /** A table constructor's `{ [key] = value, item, item ... }`. */
  table: (pairs: readonly LuaValue[], items: readonly LuaValue[]): LuaTable => {
    const table = LuaTable.of(items);
    for (let i = 0; i < pairs.length; i += 2) table.set(pairs[i], pairs[i + 1]);
    return table;
  },
};

function number(value: LuaValue): number {
  const result = toNumber(value);
  if (result === undefined) throw new LuaError(`attempt to perform arithmetic on a ${typeName(value)} value`);
  return result;
}

function piece(value: LuaValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return numberToString(value);
  throw new LuaError(`attempt to concatenate a ${typeName(value)} value`);
}

function incomparable(a: LuaValue, b: LuaValue): LuaError {
  return new LuaError(`attempt to compare ${typeName(a)} with ${typeName(b)}`);
}
