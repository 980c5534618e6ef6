import { createHash } from 'node:crypto';
import { type Chunk, compile } from '../lua/compile.js';
import { asLuaTable, luaGlobals } from '../lua/library.js';
import { general, LuaError, type LuaFunction, LuaTable, type LuaValue } from '../lua/values.js';
import { RedisError, type Reply, Status } from './commands.js';

/** Runs commands for the current script. */
export type ScriptCall = (args: readonly string[]) => Reply;

interface Compiled {
  readonly sha1: string;
  readonly chunk: Chunk;
}

/** Compiled once for all servers of all runs: a script is a pure function of its inputs. */
const compiled = new Map<string, Compiled>();

export function sha1Of(text: string): string {
  return compiledOf(text).sha1;
}

function compiledOf(text: string): Compiled {
  let entry = compiled.get(text);
  if (entry === undefined) {
    entry = { sha1: createHash('sha1').update(text).digest('hex'), chunk: compile(text) };
    compiled.set(text, entry);
  }
  return entry;
}

/** Runs commands of the current script; scripts never nest. */
let onCall: ScriptCall = () => {
  throw new Error('no script runs');
};

const call: LuaFunction = (...args) => {
  const reply = onCall(args.map(argument));
  if (reply instanceof RedisError) throw new LuaError(asLuaTable({ err: reply.message }));
  return toLua(reply);
};

const globals = luaGlobals({
  redis: asLuaTable({
    call,
    pcall: (...args) => {
      try {
        return call(...args);
      } catch (error) {
        if (error instanceof LuaError && error.value instanceof LuaTable) return error.value;
        throw error;
      }
    },
    sha1hex: (text) => createHash('sha1').update(argument(text)).digest('hex'),
    error_reply: (message) => asLuaTable({ err: message }),
    status_reply: (message) => asLuaTable({ ok: message }),
    REDIS_VERSION: '7.0.15',
    REDIS_VERSION_NUM: 0x00070_00f,
  }),
});

/** Runs `text`; `run` executes its commands. What the script raises becomes an error reply. */
export function runScript(
  text: string,
  keys: readonly string[],
  args: readonly string[],
  run: ScriptCall,
): Reply {
  const { chunk } = compiledOf(text);
  globals.set('KEYS', LuaTable.of(keys));
  globals.set('ARGV', LuaTable.of(args));
  onCall = run;
  try {
    const result = chunk(globals);
    return toReply(Array.isArray(result) ? result[0] : result);
  } catch (error) {
    if (!(error instanceof LuaError)) throw error;
    const { value } = error;
    if (value instanceof LuaTable) return new RedisError(String(value.get('err')));
    return new RedisError(`ERR ${error.message}`);
  }
}

function argument(value: LuaValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : general(value, 17);
  throw new LuaError(asLuaTable({ err: 'ERR Lua redis lib command arguments must be strings or integers' }));
}

function toLua(reply: Reply): LuaValue {
  if (reply === null) return false;
  if (reply instanceof Status) return asLuaTable({ ok: reply.text });
  if (Array.isArray(reply)) return LuaTable.of(reply.map(toLua));
  return reply as number | string;
}

function toReply(value: LuaValue): Reply {
  if (typeof value === 'number') return Math.trunc(value);
  if (typeof value === 'string') return value;
  if (value === true) return 1;
  if (!(value instanceof LuaTable)) return null;
  const error = value.get('err');
  if (typeof error === 'string') return new RedisError(error);
  const status = value.get('ok');
  if (typeof status === 'string') return new Status(status);
  const list: Reply[] = [];
  for (let i = 1; value.get(i) !== undefined; i++) list.push(toReply(value.get(i)));
  return list;
}
