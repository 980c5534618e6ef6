import { number, stringLibrary, text } from './string-library.js';
import {
  LuaError,
  type LuaFunction,
  LuaTable,
  type LuaValue,
  numberToString,
  toNumber,
  typeName,
} from './values.js';

const mathLibrary: Readonly<Record<string, LuaFunction>> = {
  abs: (a) => Math.abs(number(a, 'abs')),
  ceil: (a) => Math.ceil(number(a, 'ceil')),
  floor: (a) => Math.floor(number(a, 'floor')),
  fmod: (a, b) => number(a, 'fmod') % number(b, 'fmod'),
  max: (...values) => Math.max(...values.map((value) => number(value, 'max'))),
  min: (...values) => Math.min(...values.map((value) => number(value, 'min'))),
  sqrt: (a) => Math.sqrt(number(a, 'sqrt')),
};

const tableLibrary: Readonly<Record<string, LuaFunction>> = {
  concat: (list, separator) => {
    const parts: string[] = [];
    const source = asTable(list, 'concat');
    for (let i = 1; i <= source.length; i++) parts.push(text(source.get(i), 'concat'));
    return parts.join(separator === undefined ? '' : text(separator, 'concat'));
  },
  getn: (list) => asTable(list, 'getn').length,
  insert: (list, ...args) => {
    const table = asTable(list, 'insert');
    if (args.length < 2) {
      table.set(table.length + 1, args[0]);
      return undefined;
    }
    const at = number(args[0], 'insert');
    for (let i = table.length; i >= at; i--) table.set(i + 1, table.get(i));
    table.set(at, args[1]);
    return undefined;
  },
  remove: (list, position) => {
    const table = asTable(list, 'remove');
    if (table.length === 0) return [undefined];
    const at = number(position, 'remove', table.length);
    const removed = table.get(at);
    for (let i = at; i < table.length; i++) table.set(i, table.get(i + 1));
    table.set(table.length, undefined);
    return [removed];
  },
};

const baseLibrary: Readonly<Record<string, LuaFunction>> = {
  type: (value) => typeName(value),
  tonumber: (value, base) => {
    if (base === undefined || base === 10) return [toNumber(value)];
    const result = Number.parseInt(text(value, 'tonumber'), number(base, 'tonumber'));
    return [Number.isNaN(result) ? undefined : result];
  },
  tostring: (value) => {
    if (value === undefined) return 'nil';
    if (typeof value === 'number') return numberToString(value);
    return typeof value === 'object' || typeof value === 'function' ? typeName(value) : String(value);
  },
  unpack: (list, from, to) => {
    const table = asTable(list, 'unpack');
    const values: LuaValue[] = [];
    for (let i = number(from, 'unpack', 1); i <= number(to, 'unpack', table.length); i++)
      values.push(table.get(i));
    return values;
  },
  select: (index, ...values) => {
    if (index === '#') return values.length;
    const n = number(index, 'select');
    return n < 0 ? values.slice(n) : values.slice(n - 1);
  },
  error: (value) => {
    throw new LuaError(value);
  },
  assert: (...values) => {
    if (values[0] === undefined || values[0] === false) throw new LuaError(values[1] ?? 'assertion failed!');
    return values;
  },
  pcall: (f, ...args) => {
    if (typeof f !== 'function') return [false, `attempt to call a ${typeName(f)} value`];
    try {
      const result = f(...args);
      return Array.isArray(result) ? [true, ...result] : [true, result];
    } catch (error) {
      if (!(error instanceof LuaError)) throw error;
      return [false, error.value];
    }
  },
  pairs: (table) => {
    const entries = asTable(table, 'pairs').entries();
    return () => entries.next().value ?? [undefined];
  },
  ipairs: (table) => {
    const list = asTable(table, 'ipairs');
    let index = 0;
    return () => {
      const value = list.get(++index);
      return value === undefined ? [undefined] : [index, value];
    };
  },
};

/** The globals of Lua 5.1 that Redis offers to scripts, as far as scripts use them, and those in `more`. */
export function luaGlobals(more: Readonly<Record<string, LuaValue>>): LuaTable {
  const globals = asLuaTable(baseLibrary);
  globals.set('math', asLuaTable(mathLibrary));
  (globals.get('math') as LuaTable).set('huge', Number.POSITIVE_INFINITY);
  globals.set('string', asLuaTable(stringLibrary));
  globals.set('table', asLuaTable(tableLibrary));
  for (const [name, value] of Object.entries(more)) globals.set(name, value);
  return globals;
}

export function asLuaTable(values: Readonly<Record<string, LuaValue>>): LuaTable {
  const table = new LuaTable();
  for (const [name, value] of Object.entries(values)) table.set(name, value);
  return table;
}

function asTable(value: LuaValue, where: string): LuaTable {
  if (value instanceof LuaTable) return value;
  throw new LuaError(`bad argument to '${where}' (table expected, got ${typeName(value)})`);
}
