import type { RedisLike } from '@ids/segment-redis-db';
import { sha1Of } from '../../src/redis/script-engine.js';
import { runSeed } from '../../src/run-seed.js';

/** A script as the product sent it, with what follows the key. */
export interface RecordedCommand {
  readonly text: string;
  readonly args: readonly string[];
  /** What came back; undefined where nothing did. */
  reply: unknown;
}

/** Long enough for no lease to run out on one of two servers whose clocks differ. */
const LOCK_MS = '60000';

/**
 * The scripts that the processes of a seed run, in the order in which they send them, with
 * all that goes wrong in it.
 */
export async function recordedCommands(seed: number): Promise<RecordedCommand[]> {
  const recorded: RecordedCommand[] = [];
  const texts = new Map<string, string>();
  const record = (text: string | undefined, args: readonly (string | number)[]) => {
    const entry: RecordedCommand = { text: text ?? '', args: args.slice(2).map(String), reply: undefined };
    if (text !== undefined) recorded.push(entry);
    return (reply: unknown) => {
      entry.reply = reply;
      return reply;
    };
  };
  const wrap = (client: RedisLike): RedisLike => ({
    // A script that the server does not know yet comes again as text.
    evalsha: async (sha1, ...args) => record(texts.get(sha1), args)(await client.evalsha(sha1, ...args)),
    eval: async (text, ...args) => {
      texts.set(sha1Of(text), text);
      return record(text, args)(await client.eval(text, ...args));
    },
    pipeline: () => client.pipeline(),
  });
  const { plan } = await runSeed(seed, { wraps: () => ({ wrap }), runMs: 500, sequences: 1 });
  const lockMs = String(plan.options.lockMs);
  return recorded.map((command) => ({
    ...command,
    args: command.args.map((arg) => (arg === lockMs ? LOCK_MS : arg)),
  }));
}
