import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BothServers } from '../support/both-servers.js';
import { recordedCommands } from '../support/recorded-commands.js';

let both: BothServers;

beforeAll(async () => {
  both = await BothServers.start();
});
afterAll(() => both[Symbol.asyncDispose]());
beforeEach(() => both.run(['FLUSHALL']));

const key = fc.constantFrom('a', 'b');
const field = fc.constantFrom('f', 'g', 'h');
const value = fc.oneof(
  fc.constantFrom('', '0', '-1', '9007199254740993'),
  fc.string({ unit: 'grapheme-ascii', maxLength: 8 }),
);

describe('a simulated Redis answers as a real one', () => {
  it('to any sequence of the commands that scripts use', async () => {
    const command = fc.oneof(
      fc.tuple(fc.constant('HSET'), key, field, value),
      fc.tuple(fc.constant('HSET'), key, field, value, field, value),
      fc.tuple(fc.constant('HGET'), key, field),
      fc.tuple(fc.constant('HMGET'), key, field, field),
      fc.tuple(fc.constant('HGETALL'), key),
      fc.tuple(fc.constant('TYPE'), key),
      fc.tuple(fc.constant('SET'), key, value),
      fc.tuple(fc.constant('SET'), key, value, fc.constant('PX'), fc.constantFrom('60000', '0', '-1', 'x')),
      fc.tuple(fc.constant('MSET'), key, value, key, value),
      fc.tuple(fc.constant('MSET'), key, value, key),
      fc.tuple(fc.constant('MGET'), key, key),
      fc.tuple(fc.constant('GET'), key),
      fc.tuple(fc.constantFrom('DEL', 'EXISTS'), key, key),
      fc.tuple(fc.constant('NOSUCH'), key),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(command, fc.boolean()), { maxLength: 30 }), async (commands) => {
        await both.run(['FLUSHALL']);
        for (const [args, inScript] of commands) {
          // A client gives HGETALL another shape; a script shows the reply as it is.
          const { real, simulated } =
            inScript || args[0] === 'HGETALL'
              ? await both.eval('return redis.call(unpack(ARGV))', 'k', args)
              : await both.run(args);
          expect(simulated, args.join(' ')).toEqual(real);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('to the scripts that the product runs, and to the same ones changed, repeated, left out', async () => {
    const change = fc.record({
      at: fc.nat(300),
      kind: fc.constantFrom('repeat', 'leave out', 'lose the hash', 'argument', 'argument'),
      argument: fc.nat(12),
      from: fc.nat(300),
    });
    let [gave, claimed] = [0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5_000 }),
        fc.array(change, { maxLength: 20 }),
        async (seed, changes) => {
          await both.run(['FLUSHALL']);
          const commands = (await recordedCommands(seed)).slice(0, 150);
          const names = new GenerationNames();
          for (const [index, command] of commands.entries()) {
            let times = 1;
            const args = [...command.args];
            for (const { at, kind, argument, from } of changes) {
              if (at !== index) continue;
              if (kind === 'repeat') times++;
              if (kind === 'leave out') times = 0;
              if (kind === 'lose the hash') await both.run(['DEL', 'k']);
              const other = commands[from % commands.length];
              const taken = other?.text === command.text ? other.args[argument] : undefined;
              if (kind === 'argument' && taken !== undefined) args[argument] = taken;
            }
            for (; times > 0; times--) {
              const real = await both.real(['EVAL', command.text, 1, 'k', ...names.forReal(args)]);
              const simulated = both.simulated(['EVAL', command.text, 1, 'k', ...names.forSimulated(args)]);
              names.learn(command.reply, real, simulated);
              const what = `seed ${seed}, command ${index}: ${args.join(' ')}`;
              expect(names.masked(simulated), what).toEqual(names.masked(real));
              if (/^\S+ \S+( \d+){5} [1-9]\d* [1-9]/.test(String(real))) gave++;
              if (Array.isArray(real) && real.length > 7) claimed++;
            }
            if (index % 10 !== 0) continue;
            const after = await both.eval('return redis.call("HGETALL", KEYS[1])', 'k');
            expect(hashOf(after.simulated, names), `seed ${seed}, after command ${index}`).toEqual(
              hashOf(after.real, names),
            );
          }
        },
      ),
      { numRuns: 60 },
    );
    expect(gave, 'takes that gave ids').toBeGreaterThan(100);
    expect(claimed, 'claims that got ids').toBeGreaterThan(20);
  });

  it('to scripts that count, compare, format and match', async () => {
    const number = fc.oneof(
      fc.integer(),
      fc.maxSafeInteger(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(0, 0.5, 1.5, 2.5, -0.5, 1e14, 99_999_999_999_999, 1e15, 2 ** 53, 1e21, 1e300, 1e-5),
    );
    const expression = fc.constantFrom(
      ...[
        'tostring(a)',
        'a .. ""',
        'a + b',
        'a - b',
        'a * b',
        'a / b',
        'a % b',
        'a ^ 2',
        '-a',
        'tonumber(ARGV[1]) + 1',
      ],
      ...['math.floor(a)', 'math.ceil(a)', 'math.min(a, b)', 'math.max(a, b)', 'math.abs(a)', 'ARGV[1] * 1'],
      ...[
        'string.format("%.0f", a)',
        'string.format("%d", math.floor(math.fmod(a, 1e9)))',
        'string.format("%5.2f|%g", a, b)',
      ],
      ...[
        'string.format("%s %s", a, ARGV[2])',
        'string.format("%08.3f", a % 1000)',
        'string.format("%e", a)',
      ],
      ...[
        'a < b',
        'a == b',
        'a >= b',
        'not a',
        'a and b',
        'nil or b',
        '#ARGV[1]',
        'tonumber("0x1F")',
        'tonumber("1e")',
      ],
    );
    await fc.assert(
      fc.asyncProperty(expression, number, number, async (code, a, b) => {
        const script = `local a, b = tonumber(ARGV[1]), tonumber(ARGV[2]) return tostring(${code})`;
        const { real, simulated } = await both.eval(script, 'k', [a, b]);
        // JavaScript does not know the sign of what is no number.
        expect(simulated, `${code} of ${a} and ${b}`).toEqual(String(real).replace('-nan', 'nan'));
      }),
      { numRuns: 1_500 },
    );
    const pattern = fc.constantFrom(
      ...[
        '^(%d+):(%d+):(%d+)$',
        '%X',
        '(%d+)',
        'cluster_my_epoch:(%d+)',
        '%s*(%w*)',
        '[%a_]+',
        '[^:]*',
        '.-:',
        'a?b*',
      ],
      ...['()%d()', '^%d', '%d$', '(%a)%1', '%b()', '[0-9a-f]+', '%.', '$'],
    );
    const subject = fc.oneof(
      fc.constantFrom(
        '1:2:3',
        '12:34:x',
        'cluster_my_epoch:7\r\n',
        'ab aab (x(y))z',
        '',
        '00ff::aa',
        'a.b_c',
      ),
      fc.string({ unit: fc.constantFrom('a', 'b', '1', '2', ':', '(', ')', ' ', '_') }),
    );
    await fc.assert(
      fc.asyncProperty(pattern, subject, fc.integer({ min: -3, max: 6 }), async (wanted, string, init) => {
        const script =
          'local out = {} ' +
          'for _, v in ipairs({ string.find(ARGV[1], ARGV[2], tonumber(ARGV[3])) }) do out[#out + 1] = tostring(v) end ' +
          'for _, v in ipairs({ string.match(ARGV[1], ARGV[2]) }) do out[#out + 1] = tostring(v) end ' +
          'for v in string.gmatch(ARGV[1], "%d+") do table.insert(out, v) end ' +
          'return table.concat(out, "|")';
        const { real, simulated } = await both.eval(script, 'k', [string, wanted, init]);
        expect(simulated, `${wanted} in ${string} from ${init}`).toEqual(real);
      }),
      { numRuns: 600 },
    );
  });
});

/** Each server names its generations itself: what is `g1` at the one is `g1` at the other, too. */
class GenerationNames {
  readonly #recorded = new Map<string, { readonly real: string; readonly simulated: string }>();
  readonly #masks = new Map<string, string>();

  /** A take's reply begins with the generation. */
  learn(recorded: unknown, real: unknown, simulated: unknown): void {
    const [then, now, virtual] = [recorded, real, simulated].map((reply) => generationOf(reply));
    if (now === undefined || virtual === undefined) return;
    if (then !== undefined) this.#recorded.set(then, { real: now, simulated: virtual });
    if (this.#masks.has(now) && this.#masks.has(virtual)) return;
    const mask = `g${this.#masks.size}`;
    this.#masks.set(now, mask);
    this.#masks.set(virtual, mask);
  }

  forReal(args: readonly string[]): string[] {
    return args.map((arg) => this.#recorded.get(arg)?.real ?? arg);
  }

  forSimulated(args: readonly string[]): string[] {
    return args.map((arg) => this.#recorded.get(arg)?.simulated ?? arg);
  }

  /** Without what differs between any two servers: generations and replication ids. */
  masked(reply: unknown): unknown {
    if (Array.isArray(reply)) return reply.map((one) => this.masked(one));
    if (typeof reply !== 'string') return reply;
    return reply.replace(
      /[0-9a-f-]{36,40}/g,
      (name) => this.#masks.get(name) ?? (name.length === 40 ? 'replid' : name),
    );
  }
}

function generationOf(reply: unknown): string | undefined {
  const [, generation] = /^(\S+) (?:-|reign|missing|back)(?: -?\d+){12} \S+$/.exec(String(reply)) ?? [];
  return generation;
}

/** As an object, without what depends on the clock. */
function hashOf(reply: unknown, names: GenerationNames): Record<string, unknown> {
  const flat = reply as string[];
  const hash: Record<string, unknown> = {};
  for (let i = 0; i < flat.length; i += 2) hash[flat[i] ?? ''] = names.masked(flat[i + 1]);
  if (Number(hash.kx) > 0) hash.kx = 'later';
  return hash;
}
