import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyedPlanOf } from '../../src/keyed/draw-keyed-plan.js';
import { BothServers } from '../support/both-servers.js';
import { type RecordedCommand, recordedKeyedCommands } from '../support/recorded-commands.js';

let both: BothServers;

beforeAll(async () => {
  both = await BothServers.start();
});
afterAll(() => both[Symbol.asyncDispose]());

/** How many commands of a seed are compared. */
const COMMANDS = 80;

/** Seeds over Redis whose calls are not confirmed: those are sent in pipelines, which are not recorded. */
const SEEDS = Array.from({ length: 400 }, (_, i) => i + 1).filter((seed) => {
  const { redis, options } = keyedPlanOf(seed);
  return redis !== undefined && options.waitReplicas === 0;
});

describe('a simulated Redis runs the scripts of sequences by key as a real one', () => {
  it('as the product runs them, and changed, repeated, left out, and without what they wrote', async () => {
    const change = fc.record({
      at: fc.nat(COMMANDS),
      kind: fc.constantFrom(
        'repeat',
        'leave out',
        'lose a record',
        'lose the family',
        'argument',
        'argument',
      ),
      argument: fc.nat(11),
      from: fc.nat(COMMANDS),
    });
    const felt = { gave: 0, leased: 0, installed: 0, late: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...SEEDS),
        fc.array(change, { maxLength: 20 }),
        async (seed, changes) => {
          await both.run(['FLUSHALL']);
          const commands = (await recordedKeyedCommands(seed)).slice(0, COMMANDS);
          const names = new Names();
          for (const [index, command] of commands.entries()) {
            let times = 1;
            const args = [...command.args];
            for (const { at, kind, argument, from } of changes) {
              if (at !== index) continue;
              if (kind === 'repeat') times++;
              if (kind === 'leave out') times = 0;
              if (kind === 'lose a record') await both.run(['DEL', command.keys.at(-1) ?? '']);
              if (kind === 'lose the family') await both.run(['DEL', command.keys[0] ?? '']);
              const other = commands[from % commands.length];
              const taken = isLike(other, command) ? other?.args[argument] : undefined;
              if (kind === 'argument' && taken !== undefined) args[argument] = taken;
            }
            for (; times > 0; times--) await compare(command, args, names, felt, `seed ${seed}, ${index}`);
          }
        },
      ),
      { numRuns: 30 },
    );
    expect(felt.gave, 'takes that gave ids').toBeGreaterThan(100);
    expect(felt.leased, 'leases').toBeGreaterThan(100);
    expect(felt.installed, 'segments installed').toBeGreaterThan(100);
    expect(felt.late, 'segments refused').toBeGreaterThan(5);
  });
});

function isLike(one: RecordedCommand | undefined, other: RecordedCommand): boolean {
  return one?.text === other.text && one.args.length === other.args.length;
}

/** Runs a script on both servers and compares the replies, the records and the family's hash. */
async function compare(
  { text, keys, reply }: RecordedCommand,
  args: readonly string[],
  names: Names,
  felt: { gave: number; leased: number; installed: number; late: number },
  where: string,
): Promise<void> {
  const run = ['EVAL', text, keys.length, ...keys];
  const real = await both.real([...run, ...names.forReal(args)]);
  const simulated = both.simulated([...run, ...names.forSimulated(args)]);
  names.learn(reply, real, simulated);
  const what = `${where}: ${keys.join(' ')} ${args.join(' ')}`;
  expect(names.maskedSimulated(simulated), what).toEqual(names.maskedReal(real));
  for (const answer of String(real).split(';')) {
    if (/^\d+ [0-9a-f]{16} |^[1-9]\d*$/.test(answer)) felt.gave++;
    if (/ [0-9a-f]{16} /.test(answer)) felt.leased++;
    if (answer.startsWith('OK ')) felt.installed++;
    if (/^(VOID|LOW|FULL) /.test(answer)) felt.late++;
  }
  const state =
    'return { redis.call("MGET", unpack(KEYS)), redis.call("HMGET", KEYS[1], "e", "r", "f", "p", "rs") }';
  const look = ['EVAL', state, keys.length, ...keys];
  expect(names.maskedSimulated(both.simulated(look)), `after ${what}`).toEqual(
    names.maskedReal(await both.real(look)),
  );
}

/** Each server names its generations itself: what comes first on the one comes first on the other, too. */
class Names {
  readonly #recorded = new Map<string, { readonly real: string; readonly simulated: string }>();
  readonly #real = new Map<string, string>();
  readonly #simulated = new Map<string, string>();

  /** A take names the generation of each key whose lease it grants. */
  learn(recorded: unknown, real: unknown, simulated: unknown): void {
    const [then, now, virtual] = [recorded, real, simulated].map((reply) => String(reply).split(';'));
    for (const [i, answer] of (then ?? []).entries()) {
      const [name, theirs, ours] = [answer, now?.[i], virtual?.[i]].map((one) => one?.split(' ')[1]);
      if (name !== undefined && theirs !== undefined && ours !== undefined) {
        this.#recorded.set(name, { real: theirs, simulated: ours });
      }
    }
  }

  forReal(args: readonly string[]): string[] {
    return args.map((arg) => this.#recorded.get(arg)?.real ?? arg);
  }

  forSimulated(args: readonly string[]): string[] {
    return args.map((arg) => this.#recorded.get(arg)?.simulated ?? arg);
  }

  maskedReal(reply: unknown): unknown {
    return masked(reply, this.#real);
  }

  maskedSimulated(reply: unknown): unknown {
    return masked(reply, this.#simulated);
  }
}

/** Without what differs between any two servers: names, replication ids, and what depends on the clock. */
function masked(reply: unknown, names: Map<string, string>): unknown {
  if (Array.isArray(reply)) return reply.map((one) => masked(one, names));
  if (typeof reply !== 'string') return reply;
  return (
    reply
      .replace(/[0-9a-f]{40}:/g, 'replid:')
      // The time of the last segment, and the end of the lease, in a record; its age in the answer of a take.
      // Where arguments were exchanged, a number of a record may be negative.
      .replace(/^(-?\d+ .*[0-9a-f]{16}(?: -?\d+){3}) \d+ (\S+) [1-9]\d*$/, '$1 since $2 later')
      .replace(/^(-?\d+ .*[0-9a-f]{16}(?: -?\d+){3}) \d+ (\S+) 0$/, '$1 since $2 0')
      .replace(/(?<=[0-9a-f]{16}(?: -?\d+){3}) \d+(?=;|$)/g, ' age')
      // The clock in the answer of a take, if the script read it.
      .replace(/^([^; ]*(?:;-?\d+){4});\d+(?=;|$)/, '$1;at')
      .replace(/(?<![0-9a-f])[0-9a-f]{16}(?![0-9a-f])/g, (name) => {
        const mask = names.get(name) ?? `name ${names.size}`;
        names.set(name, mask);
        return mask;
      })
  );
}
