// Imports no package of this workspace: `pnpm bench --help` reads this file before anything is built.
import { Argument, Command, Option } from '@commander-js/extra-typings';
import { ORDER_NEEDS, TYPE_NEEDS } from '../judge/needs.js';
import { folder, milliseconds, names, wholeNumber } from './values.js';

/** What some of the common options do, where commands differ. */
const TEXTS = {
  quick: 'two minutes on two idle cores (default)',
  full: 'about 20 minutes: more and longer blocks, ten times as many ids',
  only: 'only these strategies, and what they are compared with',
  ci: 'plain progress lines',
};

/** What commands read from the environment. */
const VARIABLES = {
  REDIS_URL: 'measure this Redis, not one of the bench; "faults" and "index" never touch it',
  DATABASE_URL: 'the same for Postgres',
  IDS_POSTGRES: '"embedded": ignore the Postgres that is installed here',
  TMPDIR: 'folder for temporary files, about 0.3 GB in a quick run',
  XDG_CACHE_HOME: 'parent of the folder that keeps what was downloaded (Linux)',
  NO_COLOR: 'print no colour',
} as const;

function variablesHelp(): string {
  const wide = Math.max(...Object.keys(VARIABLES).map((name) => name.length));
  const lines = Object.entries(VARIABLES).map(([name, what]) => `  ${name.padEnd(wide)}  ${what}`);
  return `\nEnvironment variables:\n${lines.join('\n')}`;
}

/** A command with the options of every command that measures. */
export function measuringCommand(name: string, description: string, texts = TEXTS) {
  const smoke = 'a few seconds, to check that everything runs; the figures mean nothing';
  const out = 'folder for the report; results of other commands in it are kept';
  return new Command(name)
    .description(description)
    .helpOption('-h, --help', 'print this help')
    .addOption(new Option('--quick', texts.quick).conflicts(['full', 'smoke']))
    .addOption(new Option('--full', texts.full).conflicts('smoke'))
    .option('--smoke', smoke)
    .option('--only <a,b>', texts.only, names)
    .option('--out <dir>', out, folder, 'bench-report')
    .option('--json', 'print result.json, and nothing else, on standard output')
    .option('--compare <result.json>', 'report what is faster or slower than in that run')
    .option('--ci', texts.ci)
    .addHelpText('after', variablesHelp());
}

/** `pnpm bench`. */
export function benchProgram() {
  const description =
    'Measures the ID strategies side by side and checks their guarantees. "faults" counts duplicate and lost IDs while servers and processes fail. "index" measures the cost of IDs as a primary key in Postgres. "report" renders an earlier result.json again.';
  const order = new Option('--order <word>', 'need: at least this order').choices(keys(ORDER_NEEDS));
  const type = new Option('--type <word>', 'need: IDs of this type').choices(keys(TYPE_NEEDS));
  const reveals = new Option('--reveals <what>', 'need: each id reveals this');
  return measuringCommand('bench', description)
    .addArgument(
      new Argument('[command]', 'what to do')
        .choices(['run', 'faults', 'index', 'report'] as const)
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
    .option(
      '--config <file>',
      'an ids.config.* whose "require" blocks state the needs; the report has one for all of them',
    )
    .option('--strategy <file,...>', 'modules of your own strategies, to be measured with the others', names)
    .option(
      '--processes <n>',
      'concurrent processes for uniqueness and order, 2 to 64',
      wholeNumber(2, 64),
      4,
    );
}

function keys<T extends object>(record: T) {
  return Object.keys(record) as (keyof T)[];
}
