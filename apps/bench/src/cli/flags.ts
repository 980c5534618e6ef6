// Imports no package of this workspace: `pnpm bench --help` reads this file before anything is built.
import { Argument, Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { ORDER_NEEDS, TYPE_NEEDS } from '../judge/needs.js';

/** What some of the common options do, where commands differ. */
const TEXTS = {
  quick: 'two minutes on two idle cores, with --rate four (default)',
  full: 'about 20 minutes: more and longer blocks, ten times as many ids',
  only: 'only these strategies, and what they are compared with',
};

const VARIABLES = `
Environment variables:
  REDIS_URL       measure this Redis, not one of the bench; "faults" never touches it
  DATABASE_URL    the same for Postgres
  IDS_POSTGRES    "embedded": ignore the Postgres that is installed here
  TMPDIR          folder for temporary files, about 0.8 GB in a quick run
  XDG_CACHE_HOME  parent of the folder that keeps what was downloaded (Linux)
  NO_COLOR        print no colour`;

/** The folder for reports: that of `bench` itself, and one in it for each other command. */
export const OUT = 'bench-report';

/** A command with the options of every command that measures. */
export function measuringCommand(name: string, description: string, texts = TEXTS) {
  const smoke = 'a few seconds, to check that everything runs; the figures mean nothing';
  return new Command(name)
    .description(description)
    .helpOption('-h, --help', 'print this help')
    .addOption(new Option('--quick', texts.quick).conflicts(['full', 'smoke']))
    .addOption(new Option('--full', texts.full).conflicts('smoke'))
    .option('--smoke', smoke)
    .option('--only <a,b>', texts.only, names)
    .option('--out <dir>', `folder for the report (default: "${OUT}", or a folder in it)`, folder)
    .addHelpText('after', VARIABLES);
}

/** `pnpm bench`. */
export function benchProgram() {
  const description =
    'Measures the ID strategies side by side and checks their guarantees. "faults" counts duplicate and lost IDs while servers and processes fail. "keyed" measures numbers by key. "report" renders an earlier result.json again, and ranks for the needs that you state. Only "bench" and "report" take needs.';
  const config = 'an ids.config.* whose one generator states the needs, in "require"';
  const order = new Option('--order <word>', 'need: at least this order').choices(keys(ORDER_NEEDS));
  const type = new Option('--type <word>', 'need: IDs of this type').choices(TYPE_NEEDS);
  const reveals = new Option('--reveals <what>', 'need: each id reveals this');
  const processes = 'concurrent processes for uniqueness and order, 2 to 64';
  return measuringCommand('bench', description)
    .addArgument(
      new Argument('[command]', 'what to do')
        .choices(['run', 'faults', 'keyed', 'report'] as const)
        .default('run' as const),
    )
    .argument('[result.json]', 'for "report": what to render')
    .option('--rate <n>', 'need: ids per second in one process', wholeNumber(1, 999_999_999_999))
    .option('--p99 <time>', 'need: 99 of 100 calls at that rate take at most this, as in 5ms', milliseconds)
    .option('--max-length <n>', 'need: ids of at most this many characters or digits', wholeNumber(1, 9_999))
    .addOption(order)
    .addOption(type)
    .addOption(reveals.choices(['time', 'host', 'address', 'process'] as const))
    .option('--offline', 'need: ids while no backend can be reached')
    .option('--public', 'need: outsiders see the ids and must learn nothing from them')
    .option('--config <file>', config)
    .option('--strategy <file,...>', 'modules of your own strategies, to be measured with the others', names)
    .option('--processes <n>', processes, wholeNumber(2, 64), 4);
}

function keys<T extends object>(record: T) {
  return Object.keys(record) as (keyof T)[];
}

/** Parses a whole number from `low` to `high`, both inclusive. */
function wholeNumber(low: number, high: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= low && number <= high) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${low} to ${high}.`);
  };
}

const MS_PER_UNIT: Readonly<Record<string, number>> = { us: 1e-3, ms: 1, s: 1_000 };

/** Parses a time above 0. Returns milliseconds. */
function milliseconds(text: string): number {
  const [, value, unit = ''] = /^(\d{1,6}(?:\.\d{1,3})?)(us|ms|s)$/.exec(text) ?? [];
  const ms = Number(value) * (MS_PER_UNIT[unit] ?? Number.NaN);
  if (ms > 0) return ms;
  throw new InvalidArgumentError('It must be a time such as 500us, 5ms or 1s.');
}

/** Parses names that are separated by commas: one or more. */
export function names(text: string): string[] {
  const found = text.split(',').flatMap((name) => name.trim() || []);
  if (found.length > 0) return found;
  throw new InvalidArgumentError('It must be one or more names, separated by commas.');
}

/** Parses the path of a folder. What looks like an option is one whose value was left out before it. */
export function folder(text: string): string {
  if (text !== '' && !text.startsWith('-')) return text;
  throw new InvalidArgumentError('It must be the path of a folder.');
}
