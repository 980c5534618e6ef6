/**
 * A Lua value: nil is `undefined`, a number is a double as in Lua 5.1, a string is a JavaScript string of
 * bytes.
 */
export type LuaValue = undefined | boolean | number | string | LuaTable | LuaFunction;

/**
 * A Lua function. It returns a single value as it is, so the usual call allocates nothing, and any other
 * number of values as an array, which is never a Lua value. One nil is `[undefined]`, since `undefined` alone
 * means no value.
 */
export type LuaFunction = (...args: LuaValue[]) => LuaValue | LuaValue[];

/** What a script raises with `error`, or through a bug. */
export class LuaError extends Error {
  readonly value: LuaValue;

  constructor(value: LuaValue) {
    super(
      typeof value === 'string'
        ? value
        : value instanceof LuaTable
          ? String(value.get('err'))
          : String(value),
    );
    this.value = value;
  }
}

/** A table: an array for the values from index 1 on, a map for the others. Metatables are not supported. */
export class LuaTable {
  readonly #list: LuaValue[] = [];
  readonly #rest = new Map<LuaValue, LuaValue>();

  static of(values: readonly LuaValue[]): LuaTable {
    const table = new LuaTable();
    for (const [index, value] of values.entries()) table.set(index + 1, value);
    return table;
  }

  get length(): number {
    return this.#list.length;
  }

  get(key: LuaValue): LuaValue {
    if (typeof key === 'number' && key >= 1 && key <= this.#list.length && Number.isInteger(key)) {
      return this.#list[key - 1];
    }
    return this.#rest.get(key);
  }

  set(key: LuaValue, value: LuaValue): void {
    const list = this.#list;
    if (typeof key === 'number' && key >= 1 && key <= list.length + 1 && Number.isInteger(key)) {
      if (key <= list.length) {
        if (value !== undefined || key < list.length) list[key - 1] = value;
        else list.pop();
        while (list.length > 0 && list[list.length - 1] === undefined) list.pop();
      } else if (value !== undefined) {
        this.#rest.delete(key);
        list.push(value);
        this.#moveToList();
      }
      return;
    }
    if (key === undefined) throw new LuaError('table index is nil');
    if (value === undefined) this.#rest.delete(key);
    else this.#rest.set(key, value);
  }

  /**
   * All pairs whose value is not nil: first the list, then the others in the order in which they were set.
   */
  *entries(): Generator<[LuaValue, LuaValue]> {
    for (const [index, value] of this.#list.entries()) if (value !== undefined) yield [index + 1, value];
    yield* this.#rest;
  }

  #moveToList(): void {
    if (this.#rest.size === 0) return;
    for (let key = this.#list.length + 1; this.#rest.has(key); key++) {
      this.#list.push(this.#rest.get(key));
      this.#rest.delete(key);
    }
  }
}

export function typeName(value: LuaValue): string {
  if (value === undefined) return 'nil';
  return value instanceof LuaTable ? 'table' : typeof value;
}

const NUMERAL = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?0[xX][0-9a-fA-F]+)\s*$/;
const PLAIN = /^\d{1,15}$/;

/** The number that a string contains, as `tonumber` and arithmetic parse it. */
export function toNumber(value: LuaValue): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return undefined;
  if (PLAIN.test(value)) return +value;
  const [, numeral] = NUMERAL.exec(value) ?? [];
  if (numeral === undefined) return undefined;
  return numeral.startsWith('-') ? -Number(numeral.slice(1)) : Number(numeral.replace('+0x', '0x'));
}

/** Formats a number as `tostring` does: with 14 digits, hence 1e14 as `1e+14`. */
export function numberToString(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e14 && !Object.is(value, -0)
    ? String(value)
    : general(value, 14);
}

/** `%.<precision>g` of C. */
export function general(value: number, precision: number, keepZeros = false): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const digits = precision === 0 ? 1 : precision;
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const exponential = toExponential(value, digits - 1);
  const exponent = Number(exponential.slice(exponential.indexOf('e') + 1));
  const trim = (text: string) => (keepZeros || !text.includes('.') ? text : text.replace(/\.?0+$/, ''));
  if (exponent >= -4 && exponent < digits) return trim(toFixed(value, digits - 1 - exponent));
  return trim(exponential.slice(0, exponential.indexOf('e'))) + exponentOf(exponent);
}

/** Like `Number.prototype.toExponential`, but rounds half to even, as C does. */
export function toExponential(value: number, precision: number): string {
  const exact = value.toExponential(Math.min(100, precision + 60));
  const mark = exact.indexOf('e');
  return isTieBelowEven(exact.slice(0, mark), precision)
    ? cut(exact.slice(0, mark), precision) + exact.slice(mark)
    : value.toExponential(precision);
}

/** Like `toExponential`, for numbers below 1e21. */
export function toFixed(value: number, precision: number): string {
  const exact = value.toFixed(Math.min(100, precision + 60));
  return isTieBelowEven(exact, precision) ? cut(exact, precision) : value.toFixed(precision);
}

function isTieBelowEven(exact: string, precision: number): boolean {
  const point = exact.indexOf('.');
  const kept = exact.slice(0, point) + exact.slice(point + 1, point + 1 + precision);
  return /^50*$/.test(exact.slice(point + 1 + precision)) && Number(kept.at(-1)) % 2 === 0;
}

function cut(exact: string, precision: number): string {
  return exact.slice(0, exact.indexOf('.') + (precision === 0 ? 0 : 1 + precision));
}

/** The exponent with at least two digits, as C formats it. */
export function exponentOf(exponent: number): string {
  return `e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** What compiled code calls for operators, calls and indexing. */
export const operators = {
  add: (a: LuaValue, b: LuaValue) => operand(a) + operand(b),
  sub: (a: LuaValue, b: LuaValue) => operand(a) - operand(b),
  mul: (a: LuaValue, b: LuaValue) => operand(a) * operand(b),
  div: (a: LuaValue, b: LuaValue) => operand(a) / operand(b),
  pow: (a: LuaValue, b: LuaValue) => operand(a) ** operand(b),
  /** The sign of the result is that of the divisor. */
  mod: (a: LuaValue, b: LuaValue) => {
    const [x, y] = [operand(a), operand(b)];
    return x - Math.floor(x / y) * y;
  },
  unm: (a: LuaValue) => -operand(a),
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
  /** The first value that a call returned. */
  first: (result: LuaValue | LuaValue[]): LuaValue => (Array.isArray(result) ? result[0] : result),
  /** All values that a call returned. */
  all: (result: LuaValue | LuaValue[]): LuaValue[] => {
    if (Array.isArray(result)) return result;
    return result === undefined ? [] : [result];
  },
  /** One value that a function returns: a nil must differ from no value. */
  one: (value: LuaValue): LuaValue | LuaValue[] => (value === undefined ? [undefined] : value),
  /** A table constructor's `{ [key] = value, item, item ... }`. */
  table: (pairs: readonly LuaValue[], items: readonly LuaValue[]): LuaTable => {
    const table = LuaTable.of(items);
    for (let i = 0; i < pairs.length; i += 2) table.set(pairs[i], pairs[i + 1]);
    return table;
  },
};

function operand(value: LuaValue): number {
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
