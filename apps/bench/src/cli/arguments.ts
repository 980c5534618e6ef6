import { unknownName } from '@ids/core/strategy';
import { type ArgsDef, type ParsedArgs, parseArgs } from 'citty';
import { UsageError } from '../cases/select.js';
import { type Profile, profiles } from '../experiments/profile.js';
import { ORDER_NEEDS, TYPE_NEEDS } from '../judge/needs.js';
import type { ServiceNeeds } from '../result/types.js';
import { benchFlags, type commonFlags, REVEALS } from './flags.js';

const BENCH_COMMANDS = ['run', 'faults', 'index', 'report'] as const;

/** The arguments that all commands share. */
export interface CommonArguments {
  /** The `result.json` of an earlier run. */
  readonly compare?: string;
  readonly ci: boolean;
  readonly help: boolean;
  readonly json: boolean;
  readonly only?: readonly string[];
  readonly out: string;
  readonly profile: Profile;
}

export interface BenchArguments extends CommonArguments {
  readonly command: (typeof BENCH_COMMANDS)[number];
  /** The `result.json` to render. */
  readonly file?: string;
  /** From flags. */
  readonly needs: ServiceNeeds;
  /** A config file whose generators state their needs. */
  readonly config?: string;
  readonly processes: number;
  /** Paths of modules, each with a strategy of the user. */
  readonly strategies: readonly string[];
}

/** Throws a `UsageError` for anything unknown: nothing is ignored. */
export function parseArguments(argv: readonly string[]): BenchArguments {
  const args = parseFlags(argv, benchFlags);
  const [first = 'run', ...rest] = args._;
  const command = BENCH_COMMANDS.find((known) => known === first);
  if (command === undefined) throw new UsageError(unknownName('command', first, BENCH_COMMANDS));
  const [file, stray] = command === 'report' ? rest : [undefined, ...rest];
  if (command === 'report' && file === undefined) throw new UsageError('report needs a result.json');
  if (stray !== undefined) throw new UsageError(`unexpected argument "${stray}" after "${first}"`);
  return {
    ...commonArguments(args),
    command,
    ...(file !== undefined && { file }),
    needs: needsOf(args),
    ...(args.config !== undefined && { config: args.config }),
    processes: processesOf(args.processes ?? '4'),
    strategies: args.strategy === undefined ? [] : namesIn('--strategy', 'files', args.strategy),
  };
}

export function commonArguments(args: ParsedArgs<typeof commonFlags>): CommonArguments {
  const only = args.only === undefined ? undefined : namesIn('--only', 'strategies or packages', args.only);
  if (args.out === '') throw new UsageError('--out needs a folder');
  return {
    ...(args.compare !== undefined && { compare: args.compare }),
    ci: args.ci === true,
    help: args.help === true,
    json: args.json === true,
    ...(only && { only }),
    out: args.out ?? 'bench-report',
    profile: profileOf(args),
  };
}

function namesIn(flag: string, what: string, text: string): string[] {
  const names = text.split(',').flatMap((name) => name.trim() || []);
  if (names.length === 0) throw new UsageError(`${flag} needs names of ${what}, separated by commas`);
  return names;
}

/** citty accepts unknown options; this does not. */
export function parseFlags<const Flags extends ArgsDef>(
  argv: readonly string[],
  of: Flags,
): ParsedArgs<Flags> {
  const known = Object.keys(of);
  for (const argument of argv) {
    if (!argument.startsWith('-') || argument === '-h') continue;
    const name = argument.replace(/^-+/, '').replace(/=.*$/s, '');
    if (argument.startsWith('--') && known.includes(name)) continue;
    const options = known.map((flag) => `--${flag}`);
    throw new UsageError(unknownName('option', `--${name}`, options));
  }
  return parseArgs<Flags>([...argv], of);
}

function profileOf(args: Partial<Record<string, unknown>>): Profile {
  const chosen = Object.values(profiles).filter(({ name }) => args[name] === true);
  if (chosen.length > 1) {
    throw new UsageError(`${chosen.map(({ name }) => `--${name}`).join(' and ')} exclude each other`);
  }
  return chosen[0] ?? profiles.quick;
}

function needsOf(args: Partial<Record<string, unknown>>): ServiceNeeds {
  const { rate, p99, 'max-length': length, order, type, reveals } = args;
  if (rate !== undefined && !/^[1-9]\d{0,11}$/.test(String(rate))) {
    throw new UsageError(`--rate must be a whole number of ids per second from 1, got "${rate}"`);
  }
  if (length !== undefined && !/^[1-9]\d{0,3}$/.test(String(length))) {
    throw new UsageError(`--max-length must be a whole number of characters from 1 to 9999, got "${length}"`);
  }
  return {
    ...(rate !== undefined && { rate: Number(rate) }),
    ...(p99 !== undefined && { p99Ms: p99Of(String(p99), rate) }),
    ...(length !== undefined && { maxLength: Number(length) }),
    ...(order !== undefined && { order: oneOf('--order', ORDER_NEEDS, String(order)) }),
    ...(type !== undefined && { type: oneOf('--type', TYPE_NEEDS, String(type)) }),
    ...(reveals !== undefined && { reveals: [oneOf('--reveals', REVEALS, String(reveals))] }),
    ...(args.offline === true && { offline: true }),
    ...(args.public === true && { public: true }),
  };
}

const MS_PER_UNIT: Readonly<Record<string, number>> = { us: 1e-3, ms: 1, s: 1_000 };

function p99Of(text: string, rate: unknown): number {
  if (rate === undefined) throw new UsageError('--p99 needs --rate: a latency without a rate means nothing');
  const [, value, unit = ''] = /^(\d{1,6}(?:\.\d{1,3})?)(us|ms|s)$/.exec(text) ?? [];
  const ms = Number(value) * (MS_PER_UNIT[unit] ?? Number.NaN);
  if (!(ms > 0)) throw new UsageError(`--p99 must be a time such as 500us, 5ms or 1s, got "${text}"`);
  return ms;
}

function oneOf<T>(flag: string, known: Readonly<Record<string, T>>, name: string): T {
  const found = known[name];
  if (found === undefined || !Object.hasOwn(known, name)) {
    throw new UsageError(unknownName(`value for ${flag}`, name, Object.keys(known)));
  }
  return found;
}

function processesOf(text: string): number {
  const processes = Number(text);
  if (!/^\d+$/.test(text) || processes < 2 || processes > 64) {
    throw new UsageError(`--processes must be a whole number from 2 to 64, got "${text}"`);
  }
  return processes;
}
