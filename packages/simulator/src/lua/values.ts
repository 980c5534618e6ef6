/**
 * A Lua value: nil is `undefined`, a number a double as in Lua 5.1, a string a JavaScript string of bytes.
 */
export type LuaValue = undefined | boolean | number | string | LuaTable | LuaFunction;

/**
 * A Lua function. It returns one value as it is, and any other number of values as an array, which is
 * no Lua value: so the usual call allocates nothing. One nil is `[undefined]`, since `undefined`
 * alone stands for no value.
 */
export type LuaFunction = (...args: LuaValue[]) => LuaValue | LuaValue[];

/** What a script raises with `error`, or what its own code raises by mistake. */
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

/** A table: the values from 1 on in an array, the others in a map. Metatables are not supported. */
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
   * All pairs whose value is not nil: the list first, then the others in the order in which they were set.
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

/** The number that a string spells, as `tonumber` and arithmetic read it. */
export function toNumber(value: LuaValue): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return undefined;
  if (PLAIN.test(value)) return +value;
  const [, numeral] = NUMERAL.exec(value) ?? [];
  if (numeral === undefined) return undefined;
  return numeral.startsWith('-') ? -Number(numeral.slice(1)) : Number(numeral.replace('+0x', '0x'));
}

/** As `tostring` writes a number: with 14 digits, hence 1e14 as `1e+14`. */
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

/** As of `Number`, but a value half-way between two results becomes the even one, as C rounds it. */
export function toExponential(value: number, precision: number): string {
  const exact = value.toExponential(Math.min(100, precision + 60));
  const mark = exact.indexOf('e');
  return isTieBelowEven(exact.slice(0, mark), precision)
    ? cut(exact.slice(0, mark), precision) + exact.slice(mark)
    : value.toExponential(precision);
}

/** As `toExponential`, for numbers below 1e21. */
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

/** At least two digits, as C writes it. */
export function exponentOf(exponent: number): string {
  return `e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
