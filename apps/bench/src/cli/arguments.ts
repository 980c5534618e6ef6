import { unknownName } from '@ids/core/strategy';
import { type ArgsDef, defineCommand, parseArgs } from 'citty';
import { ORDER_NEEDS, type ServiceNeeds, TYPE_NEEDS } from '../choose/service-needs.js';
import { type Profile, profiles } from '../profile.js';
import { UsageError } from '../run/select-cases.js';

const flags = {
  quick: { type: 'boolean', description: 'less than 2 minutes on 2 cores (the default)' },
  full: { type: 'boolean', description: 'about 20 minutes: more blocks, ten times the ids' },
  smoke: {
    type: 'boolean',
    description: 'a few seconds, to see that everything runs; its figures mean nothing',
  },
  only: {
    type: 'string',
    valueHint: 'a,b',
    description: 'these strategies or packages, and what they are compared with',
  },
  rate: { type: 'string', valueHint: 'n', description: 'need: ids per second in one process' },
  order: { type: 'string', valueHint: 'level', description: `need: ${Object.keys(ORDER_NEEDS).join(', ')}` },
  type: { type: 'string', valueHint: 'column', description: `need: ${Object.keys(TYPE_NEEDS).join(' or ')}` },
  offline: { type: 'boolean', description: 'need: ids come although no backend can be reached' },
  public: { type: 'boolean', description: 'need: strangers see the ids and learn nothing from them' },
  config: {
    type: 'string',
    valueHint: 'file',
    description: 'an ids.config.* whose "require" blocks are the needs',
  },
  processes: {
    type: 'string',
    valueHint: 'n',
    description: 'processes that issue ids at once for uniqueness and order, 2 to 64 (4)',
  },
  out: {
    type: 'string',
    valueHint: 'dir',
    description: 'folder for the report, which keeps what the other commands found (bench-report)',
  },
  json: { type: 'boolean', description: 'print result.json and nothing else on standard output' },
  compare: {
    type: 'string',
    valueHint: 'result.json',
    description: 'say what became faster or slower than in that run',
  },
  ci: { type: 'boolean', description: 'a claim that misses makes the exit code 1; plain progress lines' },
  help: { type: 'boolean', alias: 'h', description: 'print this' },
} as const satisfies ArgsDef;

/** For the usage text. */
export const command = defineCommand({
  meta: {
    name: 'bench',
    description:
      'Measures the id strategies side by side, and checks what they promise. With "claims": holds each package to what its README says about speed. With "faults": lets servers and processes die and counts the ids. With "index": what the ids cost a primary key in Postgres. With "report result.json": renders an earlier run again',
  },
  args: flags,
});

const COMMANDS = ['run', 'claims', 'faults', 'index', 'report'] as const;

export interface Arguments {
  /**
   * `run` measures the strategies, `claims` holds the packages to what they say of themselves, `faults`
   * lets things go wrong, `index` fills tables, `report` renders the `file` of
   * an earlier run.
   */
  readonly command: (typeof COMMANDS)[number];
  readonly file?: string;
  /** The `result.json` of an earlier run. */
  readonly compare?: string;
  readonly ci: boolean;
  readonly help: boolean;
  readonly json: boolean;
  /** From flags. */
  readonly needs: ServiceNeeds;
  /** A file whose generators say what they need. */
  readonly config?: string;
  readonly only?: readonly string[];
  readonly out: string;
  readonly processes: number;
  readonly profile: Profile;
}

/** Throws a `UsageError` for whatever is not understood: nothing is ignored. */
export function parseArguments(argv: readonly string[]): Arguments {
  refuseUnknown(argv);
  const args = parseArgs<typeof flags>([...argv], flags);
  const [first = 'run', ...rest] = args._;
  const command = COMMANDS.find((known) => known === first);
  if (command === undefined) throw new UsageError(unknownName('command', first, COMMANDS));
  const [file, stray] = command === 'report' ? rest : [undefined, ...rest];
  if (command === 'report' && file === undefined) throw new UsageError('report needs a result.json');
  if (stray !== undefined) throw new UsageError(`unexpected argument "${stray}" after "${first}"`);
  const only = args.only
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (only?.length === 0) throw new UsageError('--only needs names of strategies, separated by commas');
  if (args.out === '') throw new UsageError('--out needs a folder');
  return {
    command,
    ...(file !== undefined && { file }),
    ...(args.compare !== undefined && { compare: args.compare }),
    ci: args.ci === true,
    help: args.help === true,
    json: args.json === true,
    needs: needsOf(args),
    ...(args.config !== undefined && { config: args.config }),
    ...(only && { only }),
    out: args.out ?? 'bench-report',
    processes: processesOf(args.processes ?? '4'),
    profile: profileOf(args),
  };
}

/** citty takes any option that it does not know for a flag. */
function refuseUnknown(argv: readonly string[]): void {
  const known = Object.keys(flags);
  for (const argument of argv) {
    if (!argument.startsWith('-') || argument === '-h') continue;
    const name = argument.replace(/^-+/, '').replace(/=.*$/s, '');
    if (!argument.startsWith('--') || !known.includes(name)) {
      throw new UsageError(
        unknownName(
          'option',
          `--${name}`,
          known.map((flag) => `--${flag}`),
        ),
      );
    }
  }
}

function profileOf(args: Partial<Record<string, unknown>>): Profile {
  const chosen = Object.values(profiles).filter(({ name }) => args[name] === true);
  if (chosen.length > 1) {
    throw new UsageError(`${chosen.map(({ name }) => `--${name}`).join(' and ')} exclude each other`);
  }
  return chosen[0] ?? profiles.quick;
}

function needsOf(args: Partial<Record<string, unknown>>): ServiceNeeds {
  const { rate, order, type } = args;
  if (rate !== undefined && !/^[1-9]\d{0,11}$/.test(String(rate))) {
    throw new UsageError(`--rate must be a whole number of ids per second from 1, got "${rate}"`);
  }
  return {
    ...(rate !== undefined && { rate: Number(rate) }),
    ...(order !== undefined && { order: oneOf('--order', ORDER_NEEDS, String(order)) }),
    ...(type !== undefined && { type: oneOf('--type', TYPE_NEEDS, String(type)) }),
    ...(args.offline === true && { offline: true }),
    ...(args.public === true && { public: true }),
  };
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
