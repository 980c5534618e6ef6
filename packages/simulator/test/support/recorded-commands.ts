import type { RedisLike } from '@ids/segment-redis-db';
import { runKeyedSeed } from '../../src/keyed/run-keyed-seed.js';
import { sha1Of } from '../../src/redis/script-engine.js';
import { runSeed } from '../../src/run-seed.js';
import type { Wraps } from '../../src/world/base-world.js';

/** A script as the product sent it. */
export interface RecordedCommand {
  readonly text: string;
  readonly keys: readonly string[];
  readonly args: readonly string[];
  /** What came back; undefined where nothing did. */
  reply: unknown;
}

/** Long enough for no lease to run out on one of two servers whose clocks differ. */
const LOCK_MS = '60000';
/** Long enough for no record to expire. */
const IDLE_MS = '600000';

/**
 * The scripts that the processes of a seed run, in the order in which they send them, with
 * all that goes wrong in it.
 */
export async function recordedCommands(seed: number): Promise<RecordedCommand[]> {
  const { recorded, wraps } = recorder();
  const { plan } = await runSeed(seed, { wraps, runMs: 500, sequences: 1 });
  const lockMs = String(plan.options.lockMs);
  return recorded.map((command) => ({
    ...command,
    args: command.args.map((arg) => (arg === lockMs ? LOCK_MS : arg)),
  }));
}

/** The same for sequences by key. */
export async function recordedKeyedCommands(seed: number): Promise<RecordedCommand[]> {
  const { recorded, wraps } = recorder();
  await runKeyedSeed(seed, { wraps, runMs: 700 });
  return recorded
    .filter(({ keys }) => keys.length > 1)
    .map((command) => {
      const [realm = '', reigns = '', nonce = '', holder = '', , idleMs, ...rest] = command.args;
      const limits = [LOCK_MS, idleMs === '0' ? '0' : IDLE_MS];
      return { ...command, args: [realm, reigns, nonce, holder, ...limits, ...rest] };
    });
}

function recorder(): { readonly recorded: RecordedCommand[]; readonly wraps: () => Wraps } {
  const recorded: RecordedCommand[] = [];
  const texts = new Map<string, string>();
  const record = (text: string | undefined, count: number, rest: readonly (string | number)[]) => {
    const all = rest.map(String);
    const entry: RecordedCommand = {
      text: text ?? '',
      keys: all.slice(0, count),
      args: all.slice(count),
      reply: undefined,
    };
    if (text !== undefined) recorded.push(entry);
    return (reply: unknown) => {
      entry.reply = reply;
      return reply;
    };
  };
  const wrap = (client: RedisLike): RedisLike => ({
    // A script that the server does not know yet comes again as text.
    evalsha: async (sha1, count, ...args) =>
      record(texts.get(sha1), count, args)(await client.evalsha(sha1, count, ...args)),
    eval: async (text, count, ...args) => {
      texts.set(sha1Of(text), text);
      return record(text, count, args)(await client.eval(text, count, ...args));
    },
    pipeline: () => client.pipeline(),
  });
  return { recorded, wraps: () => ({ wrap }) };
}
